import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { serve } from '../local-server.ts'
import { describePostgres } from '../storage/postgres-tools.ts'

const MEMBER = fileURLToPath(new URL('cluster-member.ts', import.meta.url))
const QUESTIONS = 200
const MEMBERS = 4
/** Of each member. */
const AT_ONCE = 4

/** Counts the calls; each takes a while. */
async function startJudge() {
  const calls: string[] = []
  const origin = await serve((request, response) => {
    calls.push(request.url ?? '')
    setTimeout(() => response.end('ok'), 250)
  })
  return { calls, origin }
}

describePostgres('processes that stall and die', (tools) => {
  test('four of them and the same questions: one grade each, and only calls that were in flight are made again', async () => {
    const { newSchema, open, server } = tools()
    const schema = newSchema()
    const stores = await open(schema)
    const judge = await startJudge()
    const answers: [question: number, grade: string][] = []
    const members: ChildProcess[] = []
    const ends: Promise<unknown>[] = []
    for (let at = 0; at < MEMBERS; at++) {
      const args = [MEMBER, server.url, schema, judge.origin, `${QUESTIONS}`, `${at * 7}`]
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
      ends.push(once(child, 'exit'))
      const lines = createInterface(child.stdout)
      const ready = once(lines, 'line')
      lines.on('line', (line) => line !== 'ready' && answers.push(JSON.parse(line)))
      members.push(child)
      await ready
    }
    let stalls = 0
    const isAlive = ({ exitCode, signalCode }: ChildProcess) => exitCode === null && signalCode === null
    const [killed, ...others] = members
    for (const one of [...others, ...others]) {
      await delay(200)
      if (!isAlive(one)) continue
      stalls += 1
      one.kill('SIGSTOP')
      // Longer than a lease lasts.
      await delay(1300)
      one.kill('SIGCONT')
      if (stalls !== 2) continue
      killed?.kill('SIGKILL')
      stalls += 1
    }
    await Promise.all(ends)

    expect(others.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0])
    const gradesOf = new Map<number, Set<string>>()
    for (const [question, grade] of answers) gradesOf.set(question, (gradesOf.get(question) ?? new Set()).add(grade))
    expect([...gradesOf.keys()].sort((a, b) => a - b)).toEqual(Array.from({ length: QUESTIONS }, (_, at) => at))
    expect([...gradesOf.values()].filter(({ size }) => size !== 1)).toEqual([])
    expect(await stores.grades.list({ limit: 999 })).toHaveLength(QUESTIONS)
    expect(new Set(judge.calls).size).toBe(QUESTIONS)
    const again = judge.calls.length - QUESTIONS
    expect(again).toBeLessThanOrEqual(stalls * AT_ONCE)
    const [ledger] = await server.query(`SELECT count(*)::integer AS n FROM "${schema}".attempts`)
    expect(ledger?.['n']).toBeGreaterThanOrEqual(judge.calls.length)
    process.stdout.write(`stalls and deaths: ${stalls}; calls made again: ${again}, at the most ${stalls * AT_ONCE}\n`)
    await stores.close()
  }, 60_000)
})
