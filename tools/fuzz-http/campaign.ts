import fc from 'fast-check'
import { type Answer, createCheck } from './checks.ts'
import { type OpenApi, type Operation, operationsOf } from './document.ts'
import { requestsOf, type Sent } from './requests.ts'
import { createSender } from './send.ts'

/** An answer that breaks the contract, with all that is needed to see it again. */
interface Finding {
  readonly operation: string
  readonly fault: string
  readonly run: number
  readonly sent: Sent
}

export interface Report {
  readonly runs: number
  /** By operation, then by kind of request and status. */
  readonly counts: ReadonlyMap<string, ReadonlyMap<string, number>>
  readonly findings: readonly Finding[]
}

const HEALTH_EVERY = 50
const MOST_FINDINGS = 50

/**
 * Sends `runs` requests, in turn to every operation of the document that the service itself gives out, and checks each answer. The same
 * seed sends the same requests to a service that starts empty, as far as its ids are the same.
 */
export async function runCampaign(
  origin: string,
  options: { readonly runs: number; readonly seed: number },
): Promise<Report> {
  const sender = createSender(origin)
  const document = JSON.parse((await sender.send(getting('/openapi.json'))).text) as OpenApi
  const check = createCheck(document)
  const known = new Map([['rubrics', ['tab-behavior@1', 'tab-behavior']]])
  const operations = operationsOf(document)
  const makers = operations.map((operation, index) => {
    const each = Math.ceil(options.runs / operations.length) + 1
    const arbitrary = requestsOf(operation, document, known)
    return fc.sample(fc.nat(), { numRuns: each, seed: options.seed + index }).map((seed) => () => one(arbitrary, seed))
  })
  const counts = new Map<string, Map<string, number>>()
  const findings: Finding[] = []
  let run = 0
  try {
    for (; run < options.runs && findings.length < MOST_FINDINGS; run++) {
      const at = run % operations.length
      const operation = operations[at] as Operation
      const make = makers[at]?.pop() as () => Sent
      const sent = make()
      const answer = await sender.send(sent)
      count(counts, operation.id, `${sent.kind} ${answer.status}`)
      const fault = check(operation, answer)
      if (fault !== null) findings.push({ operation: operation.id, fault, run, sent })
      remember(known, operation, answer)
      const isWell = run % HEALTH_EVERY !== 0 || (await sender.send(getting('/healthz'))).status === 200
      if (!isWell) findings.push({ operation: operation.id, fault: 'the service is not well after this', run, sent })
    }
  } finally {
    sender.close()
  }
  return { runs: run, counts, findings }
}

/** The last of a few: the first that an arbitrary gives are always its smallest. */
const one = <T>(arbitrary: fc.Arbitrary<T>, seed: number): T =>
  fc.sample(arbitrary, { numRuns: 1 + (seed % 16), seed }).at(-1) as T

const getting = (target: string): Sent => ({ kind: 'valid', method: 'GET', target, headers: {}, body: null })

function count(counts: Map<string, Map<string, number>>, operation: string, what: string): void {
  const own = counts.get(operation) ?? new Map<string, number>()
  own.set(what, (own.get(what) ?? 0) + 1)
  counts.set(operation, own)
}

/** The id that a POST gave out, under the collection that it is one of; and the cursors of lists, under their operation. */
function remember(
  known: Map<string, string[]>,
  { id: operation, method, path }: Operation,
  { status, type, text }: Answer,
): void {
  if (status >= 300 || type !== 'application/json') return
  const { id, next_cursor: cursor } = JSON.parse(text) as { id?: unknown; next_cursor?: unknown }
  const keep = (kind: string, value: unknown) => {
    if (typeof value === 'string') known.set(kind, [...(known.get(kind) ?? []).slice(-50), value])
  }
  keep(`${operation} cursors`, cursor)
  const collection = path === '/v1/regrades' ? 'batches' : (path.split('/')[2] ?? '')
  if (method === 'POST' && path.split('/').length === 3) keep(collection, id)
}
