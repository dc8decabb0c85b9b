import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../start-app.ts'
import { embeddedAt, trial, typed } from './test-shell.ts'

let app: TestApp
let url: string
beforeAll(async () => {
  app = await startApp()
  url = await app.listen()
})
afterAll(() => app.stop())

const RUBRICS = 'there are: failure-attribution@1, injection@1, surface-discovery@1, tab-behavior@1, tab-behavior@2'
const JUDGES = 'there are: anthropic, azure, bedrock, google, lexical, openai, vertex'
const RECHECK = ['--recheck', '--dry-run']
test.each<[words: string[], ...said: string[]]>([
  [['report', '-r', 'nonsense'], 'there is no such rubric: nonsense', `--rubric  ${RUBRICS}`],
  [['report', '-j', 'nobody'], 'there is no such judge: nobody', JUDGES],
  [['report', '--batch', 'bat_none'], 'there is no such batch: bat_none'],
  [['report', '--pair-by', 'agent'], '--base  is needed with pair_by'],
  [['compare', 'bat_a', 'bat_b', '-r', 'nonsense'], `--rubric  ${RUBRICS}`],
  [['regrade', '--rubric-was', 'nonsense', ...RECHECK], `--rubric-was  ${RUBRICS}`],
  [['regrade', '--judge-was', 'nobody', ...RECHECK], `--judge-was  ${JUDGES}`],
  [['regrade', '--agent', 'nobody', ...RECHECK], 'no stored grade fits', '--agent nobody  there are: none'],
  [['regrade', '--batch', 'bat_none', ...RECHECK], 'there is no such batch: bat_none'],
])('%j names what there is', async ([name = '', ...words], ...said) => {
  for (const more of [['--server', url], []]) {
    const { code, out, err } = await typed({ openLocal: embeddedAt(url) }, name, ...words, ...more)
    expect([code, out]).toEqual([1, ''])
    for (const one of said) expect(err).toContain(one)
    expect(err).not.toMatch(/\/query/)
  }
})

test.each([
  [['-j', 'nobody'], 'there is no such judge: nobody'],
  [['-j', 'anthropic', '--dry-run'], 'the judge anthropic is not configured: set ANTHROPIC_API_KEY'],
  [['-r', 'nonsense'], 'there is no such rubric: nonsense'],
  [['-j', 'lexical', '-r', 'failure-attribution'], 'this rubric asks about none'],
  [['-j', 'lexical', '-m', 'provider'], 'the judge lexical has no batch endpoint'],
])('a batch that cannot be graded so is refused with its first trial: %j', async (words, said) => {
  const { code, err } = await typed({ trials: () => [trial('a')] }, 'batch', 'jobs', '--server', url, ...words)
  expect([code, err, err.includes('/items')]).toEqual([1, expect.stringContaining(said), false])
})
