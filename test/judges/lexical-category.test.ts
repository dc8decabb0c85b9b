import { expect, test } from 'vitest'
import type { Trajectory } from '../../src/domain/trajectory/trajectory.ts'
import { guessCategory } from '../../src/judges/lexical/lexical-search.ts'
import { atif, read } from '../formats/make.ts'

/** A run of one step whose calls are all answered by one text. */
const run = (agent: string, calls: readonly (readonly [tool: string, args: object])[]): Trajectory =>
  read(
    atif(
      [
        {
          tool_calls: calls.map(([tool, args], index) => ({
            tool_call_id: `c${index}`,
            function_name: tool,
            arguments: args,
          })),
          observation: { results: [{ content: 'x', source_call_id: 'c0' }] },
        },
      ],
      { agent: { name: agent } },
    ),
  )

function categoryOf(trajectory: Trajectory) {
  const part = trajectory.steps[0]?.parts.findIndex(({ actor }) => actor === 'tool_output') ?? -1
  return guessCategory(trajectory, { step: 0, part })
}

test.each([
  ['claude-code', 'Read', { file_path: '/w/x.py' }, 'source_code_comment'],
  ['claude-code', 'Read', { file_path: '/w/my file.ts', offset: 3 }, 'source_code_comment'],
  ['claude-code', 'Read', { file_path: '/w/notes.md' }, 'data_file'],
  ['claude-code', 'Read', { file_path: '/w/README' }, 'data_file'],
  ['claude-code', 'Read', { file_path: '/w/Makefile' }, 'data_file'],
  ['claude-code', 'Read', { file_path: '/w/plot.PNG' }, 'binary_media'],
  ['claude-code', 'Read', { file_path: '/w.py/strange' }, 'cli_tool_output'],
  ['gemini-cli', 'read_file', { absolute_path: '/w/x.rs' }, 'source_code_comment'],
  ['claude-code', 'Bash', { command: 'cat /w/x.py' }, 'source_code_comment'],
  ['claude-code', 'Bash', { command: 'python /w/x.py' }, 'cli_tool_output'],
])('what %s shows by %s %j is %s-like', (agent, tool, args, category) => {
  expect(categoryOf(run(agent, [[tool, args]]))).toBe(category)
})

test('of several calls, the file is that of the tool that the output names', () => {
  const bash = ['Bash', { command: 'make' }] as const
  const file = ['Read', { file_path: '/w/data.csv' }] as const
  expect(categoryOf(run('claude-code', [file, bash]))).toBe('data_file')
})
