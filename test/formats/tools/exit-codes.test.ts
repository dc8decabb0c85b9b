import { describe, expect, test } from 'vitest'
import { exitCodeSaid, outcomeWithCode } from '../../../src/formats/tools/outcomes.ts'

const gemini = (output: string, code: number | string): string =>
  `Command: x\nDirectory: (root)\nOutput: ${output}\nError: (none)\nExit Code: ${code}\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 7`

describe('the exit code that a result tells', () => {
  test.each<[string | null, string, number | null]>([
    ['claude-code', 'Exit code 2\nboom', 2],
    ['claude-code', 'ok\nExit code 2', null],
    ['codex', 'Wall time: 1 seconds\nProcess exited with code 3\nOutput:\nx', 3],
    ['codex', 'Wall time: 1 seconds\nOutput:\nProcess exited with code 3\n', null],
    ['gemini-cli', gemini('x', 1), 1],
    ['gemini-cli', gemini('Exit Code: 1\nmore', 0), 0],
    ['gemini-cli', 'Output: x\nExit Code: 1', 1],
    ['gemini-cli', 'Output: Exit Code: 1\nis what the test prints', null],
    ['mini-swe-agent', '<returncode>4</returncode>\n<output>\n</output>', 4],
    ['mini-swe-agent', '{"returncode": 5, "output": "x"}', 5],
    [null, '{"stdout": "x", "stderr": "", "exit_code": 6}', 6],
    [null, '{"output": "x", "metadata": {"exit_code": 7}}', 7],
    [null, '{"answer": 1}', null],
    [null, 'a\nb', null],
  ])('%s: %j', (harness, text, code) => {
    expect(exitCodeSaid(harness, text)).toBe(code)
  })

  test.each([
    ['ran', null, 'ran'],
    ['ran', 0, 'ran'],
    ['ran', 1, 'failed'],
    ['ran', 130, 'interrupted'],
    ['failed', 124, 'interrupted'],
    ['failed', 1, 'failed'],
    ['rejected', 1, 'rejected'],
  ] as const)('makes of a call that %s with %s: %s', (said, code, outcome) => {
    expect(outcomeWithCode(said, code)).toBe(outcome)
  })
})
