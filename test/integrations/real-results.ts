import { onTestFinished } from 'vitest'
import type { Judge } from '../../src/judges/judge.ts'
import { userOf } from '../e2e/scene.ts'
import { GOOD_ANSWER, ONE_TRY, REQUEST, type Script, scriptedJudge } from '../grading/harness.ts'
import { toLines } from '../http/make-batch.ts'
import { startApp } from '../start-app.ts'

/** Makes three judges: a judge with a good answer, a judge whose evidence fails its check, and a judge that fails. */
const judges = (): readonly Judge[] => [
  judge('good', GOOD_ANSWER),
  judge('unproved', { ...GOOD_ANSWER, citations: [] }),
  judge('broken', { fail: 'refused' }),
]

/** Each judge has a distinct model, because judges of one identity share their grades. */
const judge = (name: string, script: Script): Judge =>
  scriptedJudge([script], { name, identity: { provider: 'test', base_url: null, model: name, parameters: {} } })

/** Starts the service on loopback with these judges and the lexical judge. The service stops at the end of the test. */
export async function startJudges(): Promise<string> {
  const app = await startApp({ judges: judges(), config: { retry: ONE_TRY } })
  onTestFinished(async () => {
    app.http.server.closeAllConnections()
    await app.stop()
  })
  return await app.http.listen({ host: '127.0.0.1', port: 0 })
}

/** Trials: two with a trace in their metadata, and one with a trace in its file. */
export const TRACES = ['a'.repeat(32), '0af7651916cd43dd8448eb211c80319c', 'd'.repeat(32)] as const

/**
 * Prints `veridict results -o ndjson` of a batch of a real service, once for all tests of a file: two graded trials, an unverified trial, a failed trial, and a trial
 * without a trace.
 */
export const realResults = (): Promise<string> => {
  made ??= printResults()
  return made
}

let made: Promise<string> | undefined

async function printResults(): Promise<string> {
  const user = userOf(await startJudges())
  const item = (judge: string, item_id: string, trace_id?: string) => ({
    ...REQUEST,
    judge,
    item_id,
    metadata: trace_id === undefined ? {} : { trace_id },
  })
  const { id } = await user.post([
    item('good', 'first', TRACES[0]),
    item('lexical', `exported/${TRACES[1]}.json`),
    item('unproved', 'third', TRACES[2]),
    item('broken', 'fourth', 'e'.repeat(32)),
    item('good', 'fifth'),
  ])
  await user.end(id)
  return toLines(await user.results(id))
}
