import type { Command } from 'commander'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { batchCommand } from '../../src/cli/commands/batch-command.ts'
import { compareCommand } from '../../src/cli/commands/compare-command.ts'
import { regradeCommand } from '../../src/cli/commands/regrade-command.ts'
import { reportCommand } from '../../src/cli/commands/report-command.ts'
import type { Shell } from '../../src/cli/shell.ts'
import { listen } from '../http/raw-http.ts'
import { startApp, type TestApp } from '../start-app.ts'
import { embeddedAt, testShell, trial } from './test-shell.ts'

let app: TestApp
let url: string
beforeAll(async () => {
  app = await startApp()
  url = await listen(app)
})
afterAll(() => app.stop())

const RUBRICS = 'there are: failure-attribution@1, injection@1, surface-discovery@1, tab-behavior@1, tab-behavior@2'
const RECHECK = ['--recheck', '--dry-run']
const REFUSED: readonly [string, (shell: Shell) => Command, readonly string[], readonly string[]][] = [
  ['a report', reportCommand, ['-r', 'nonsense'], ['there is no such rubric: nonsense', `--rubric  ${RUBRICS}`]],
  [
    'a report',
    reportCommand,
    ['-j', 'nobody'],
    ['there is no such judge: nobody', 'there are: anthropic, azure, bedrock, google, lexical, openai, vertex'],
  ],
  ['a report', reportCommand, ['--batch', 'bat_none'], ['there is no such batch: bat_none']],
  ['pairs', reportCommand, ['--pair-by', 'agent'], ['--base  is needed with pair_by']],
  ['a comparison', compareCommand, ['bat_a', 'bat_b', '-r', 'nonsense'], [`--rubric  ${RUBRICS}`]],
  ['a re-grade', regradeCommand, ['--rubric-was', 'nonsense', ...RECHECK], [`--rubric-was  ${RUBRICS}`]],
  [
    'a re-grade',
    regradeCommand,
    ['--judge-was', 'nobody', ...RECHECK],
    ['--judge-was  there are: anthropic, azure, bedrock, google, lexical, openai, vertex'],
  ],
  [
    'a re-grade',
    regradeCommand,
    ['--agent', 'nobody', ...RECHECK],
    ['no stored grade fits', '--agent nobody  there are: none'],
  ],
  ['a re-grade', regradeCommand, ['--batch', 'bat_none', ...RECHECK], ['there is no such batch: bat_none']],
]
test.each(REFUSED)('%s of a name that there is not: %#', async (_name, command, args, said) => {
  for (const more of [['--server', url], []]) {
    const shell = testShell({ openLocal: embeddedAt(url) })
    await command(shell).parseAsync([...args, ...more], { from: 'user' })
    expect(shell.code()).toBe(1)
    expect(shell.output()).toBe('')
    for (const one of said) expect(shell.errors()).toContain(one)
    expect(shell.errors()).not.toMatch(/\/query/)
  }
})

test.each([
  [['-j', 'nobody'], 'there is no such judge: nobody'],
  [['-j', 'anthropic', '--dry-run'], 'the judge anthropic is not configured: set ANTHROPIC_API_KEY'],
  [['-r', 'nonsense'], 'there is no such rubric: nonsense'],
  [['-j', 'lexical', '-r', 'failure-attribution'], 'this rubric asks about none'],
  [['-j', 'lexical', '-m', 'provider'], 'the judge lexical has no batch endpoint'],
])('a batch that cannot be graded so is refused with its first trial: %j', async (args, said) => {
  const shell = testShell({ trials: () => [trial('a')] })
  await batchCommand(shell).parseAsync(['jobs', '--server', url, ...args], { from: 'user' })
  expect(shell.code()).toBe(1)
  expect(shell.errors()).toContain(said)
  expect(shell.errors()).not.toContain('/items')
})
