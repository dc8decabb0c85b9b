import type { Judge } from '../../src/ports/judge.ts'
import { openPostgresStores } from '../../src/db/stores.ts'
import { SETTINGS } from '../storage/postgres-settings.ts'
import { GOOD_ANSWER, REQUEST, replyOf, scriptedJudge, startService, TRAJECTORY } from './harness.ts'

/** Run by itself: grades the questions 0 … n−1, beginning with its own, four at a time, and says which grade each has got. */
const [, , url, schema, origin, count, first] = process.argv
if (url === undefined || schema === undefined || origin === undefined)
  throw new Error('usage: cluster-member.ts <url> <schema> <judge> <questions> <first>')
const stores = await openPostgresStores({ url, schema, ...SETTINGS, lease_seconds: 1 })
const judge: Judge = {
  info: scriptedJudge([]).info,
  async ask({ evidence }) {
    await (await fetch(`${origin}/${evidence.trajectory.id}`)).text()
    return replyOf(GOOD_ANSWER)
  },
}
const { service } = startService([judge], stores)
const waiting = Array.from({ length: Number(count) }, (_, at) => (at + Number(first)) % Number(count))

async function grade(question: number): Promise<string> {
  const steps = [...TRAJECTORY.steps, { actor: 'agent_message', text: `Run ${question} has ended.` }]
  for (;;) {
    try {
      const outcome = await service.grade({ ...REQUEST, trajectory: { steps } })
      if (!outcome.ok) throw new Error(outcome.refusal.detail)
      return outcome.grade.id
    } catch (error) {
      // What the API answers with 503: a client sends it again.
      if ((error as { code?: string }).code !== 'lease_lost') throw error
    }
  }
}

async function work(): Promise<void> {
  for (let question = waiting.shift(); question !== undefined; question = waiting.shift())
    process.stdout.write(`${JSON.stringify([question, await grade(question)])}\n`)
}

process.stdout.write('ready\n')
await Promise.all(Array.from({ length: 4 }, work))
await stores.close()
