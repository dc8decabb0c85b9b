import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Findings } from '../../src/schemas/review.ts'
import { GOOD_ANSWER } from '../grading/harness.ts'
import { answeringJudge, finish, makeItems, startBatch } from '../http/make-batch.ts'
import { startApp } from '../start-app.ts'
import { tempFolder } from '../temp-folder.ts'
import { typed } from './test-shell.ts'

/** The words of a printed command line, as a POSIX shell reads them. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/(?:'[^']*'|\\'|[^\s'])+/g)].map(([word]) => word.replaceAll(/'([^']*)'|\\(')/g, '$1$2'))

test('a sign-off names each open class with the line that closes it, which is refused until somebody writes a reason', async () => {
  const app = await startApp({ judges: [answeringJudge((run) => (run < 2 ? { fail: 'refused' } : GOOD_ANSWER))] })
  const server = ['--server', await app.listen()]
  const items = makeItems(4)
  const rewards = { ...items[3], metadata: { conflicting_reward: true } }
  const { id } = await startBatch(app, [...items.slice(0, 3), rewards])
  await finish(app, id)
  const by = "Ada O'Neil"
  const refused = await typed({}, 'signoff', id, '--by', by, ...server)
  expect(refused).toMatchObject({ code: 2, out: '' })
  expect(refused.err).toContain(`${id} has 2 open classes of findings`)
  const lines = [...refused.err.matchAll(/\d findings?: veridict (dispose .*)/g)].map(([, line]) => wordsOf(line ?? ''))
  expect(lines.map(([, , name]) => name)).toEqual(['failed:refused', 'conflicting_reward'])
  for (const [name = '', ...words] of lines) {
    const pasted = await typed({}, name, ...words)
    expect(pasted).toMatchObject({ code: 1, err: expect.stringContaining('a dismissal needs a reason in words') })
    const reasoned = words.map((word) => (word === '…' ? 'An outage.' : word))
    expect(await typed({}, name, ...reasoned)).toMatchObject({ code: 0, err: '' })
  }
  const listed = await typed({}, 'findings', id, ...server)
  expect(listed).toMatchObject({ code: 0, err: '' })
  expect(listed.out).toMatch(/^failed:refused +2 +dismissed by Ada O'Neil +trial-0: refused$/m)
  expect(await typed({}, 'signoff', id, '--by', by, ...server)).toMatchObject({ code: 0 })
  const folder = join(tempFolder(), 'bundle')
  await typed({}, 'results', id, '-o', 'bundle', '--out', folder, ...server)
  const { signoff, open } = JSON.parse(readFileSync(join(folder, 'findings.json'), 'utf8')) as Findings
  expect(open).toBe(0)
  expect(signoff).toMatchObject({ by, outdated: false, tally: [{ disposition: 'dismissed', findings: 2 }, {}] })
})

test('a batch is named by its id or its name, and by its id alone where several have the name', async () => {
  const app = await startApp({ judges: [answeringJudge(() => GOOD_ANSWER)] })
  const server = ['--server', await app.listen()]
  const { id } = await startBatch(app, makeItems(1), '?name=nightly')
  await finish(app, id)
  const byId = await typed({}, 'results', id, '-o', 'ndjson', ...server)
  expect(byId.code).toBe(0)
  expect(await typed({}, 'results', 'nightly', '-o', 'ndjson', ...server)).toEqual(byId)
  expect(await typed({}, 'results', 'weekly', ...server)).toMatchObject({ code: 1, out: '' })
  const second = await startBatch(app, makeItems(1), '?name=nightly')
  await finish(app, second.id)
  const refused = await typed({}, 'status', 'nightly', ...server)
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('2 batches are named nightly') })
  for (const one of [id, second.id]) expect(refused.err).toContain(one)
})
