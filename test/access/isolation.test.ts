import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ROUTE_NEEDS } from '../../src/http/guard/route-scopes.ts'
import { projectPath } from '../../src/storage/project-files.ts'
import { type Alpha, MARK, makeAlpha } from './alpha.ts'
import { type AnsweringApp, dumpTables, startAnswering } from './answering-app.ts'
import { holdKey } from './make-keys.ts'
import { aimAt, TRIES } from './tries.ts'

let folder: string
let app: AnsweringApp
let alpha: Alpha
let before: ReturnType<typeof dumpTables>
const alphaFile = () => projectPath(app.database, 'alpha')
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'veridict-isolation-'))
  app = await startAnswering(join(folder, 'veridict.sqlite'))
  alpha = await makeAlpha(app)
  aimAt({ app, alpha })
  before = dumpTables(alphaFile())
})
afterAll(async () => {
  await app.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('every route that the application has is tried', () => {
  expect(Object.keys(TRIES).sort()).toEqual(Object.keys(ROUTE_NEEDS).sort())
})

let others = 0

describe.each(Object.entries(TRIES))('%s', (_route, tries) => {
  test.each(tries)('$what', async ({ ask, body, gets, like, after }) => {
    // A project of its own, in which nothing was ever stored.
    const other = await holdKey(app, { project: `other-${++others}` })
    const response = await ask(other)
    expect(response.statusCode, response.body).toBe(gets)
    if (like) expect(response.json()).toMatchObject(like)
    // An answer that there is nothing repeats the name that was asked for, and says nothing else of it.
    const asked = decodeURIComponent(response.raw.req.url ?? '') + JSON.stringify(body?.())
    for (const theirs of [MARK, alpha.grade, alpha.review, alpha.batch, alpha.regrade, alpha.parked, '"alpha"'])
      expect(
        response.body.replaceAll(gets === 404 && asked.includes(theirs) ? `: ${theirs}"` : '\0', ''),
      ).not.toContain(theirs)
    await after?.(response, other)
  })
})

const NOT_THERE = Object.values(TRIES).flatMap((tries) => tries.filter(({ gets }) => gets === 404))

test('afterwards alpha has every row that it had, and no other', () => {
  expect(dumpTables(alphaFile())).toEqual(before)
})

test('and what was not there for others is there for alpha', async () => {
  for (const { ask } of NOT_THERE) {
    const response = await ask(alpha.holder)
    expect(response.statusCode, response.body).toBeLessThan(300)
  }
})
