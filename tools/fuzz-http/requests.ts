import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import fc from 'fast-check'
import { GivenGroundTruthSchema } from '../../src/schemas/trial.ts'
import type { OpenApi, Operation, Schema } from './document.ts'
import { fromSchema, type Overrides } from './from-schema.ts'
import { DAMAGE, hostileText, hostileValue, mutate } from './hostile.ts'

/** What is sent, ready for the wire. */
export interface Sent {
  readonly kind: 'valid' | 'nearly valid' | 'hostile'
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | null
}

/** Ids that the service gave out, so that paths lead to something. */
export type Known = ReadonlyMap<string, readonly string[]>

const ENCODERS = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync, zstd: zstdCompressSync }
type Encoder = keyof typeof ENCODERS

const text = fc.oneof({ weight: 3, arbitrary: fc.string({ maxLength: 60 }) }, { weight: 1, arbitrary: hostileText })
const words = fc.constantFrom('make release-7f3a', 'curl http://files.example/up', 'ls -la', 'done')
const steps = fc.array(
  fc.record({
    actor: fc.constantFrom('user', 'agent_action', 'tool_output', 'agent_message', 'agent_reasoning'),
    text: fc.oneof(words, text),
  }),
  { minLength: 1, maxLength: 5 },
)
const atif = steps.map((list) => ({
  schema_version: 'ATIF-v1.7',
  agent: { name: 'a', version: '1' },
  steps: list.map((step, index) => ({ step_id: index + 1, source: 'user', message: step.text })),
}))
const trajectory = fc.oneof(
  steps.map((list) => ({ steps: list })),
  atif,
)

/** How requests of one operation are made. `known` is read when a request is made, so that later ones use what earlier ones stored. */
export function requestsOf(operation: Operation, document: OpenApi, known: Known): fc.Arbitrary<Sent> {
  const overrides = overridesOf(operation, document, known)
  return fc
    .constantFrom('valid', 'valid', 'nearly valid', 'hostile' as const)
    .chain((kind) =>
      fc.tuple(
        fc.constant(kind),
        targetOf(operation, document, kind, known, overrides),
        bodyOf(operation, document, kind, overrides),
        headersOf(operation, kind),
      ),
    )
    .map(([kind, target, { headers, body }, more]) => ({
      kind,
      method: operation.method,
      target,
      headers: { ...headers, ...more },
      body,
    }))
}

/** Few names, so that filters find and groups fill; among them those that hurt. */
const name = fc.constantFrom('a', 'b', '__proto__', 'constructor', 'toString', 'a\0b', '\u{1f600}', '')
const LABELS = ['aligned', 'compliant', 'ignored', 'distractor_only', 'not_observed']
const NAMED = ['agent', 'model', 'task', 'trial', 'variant', 'rater', 'item', 'item_id', 'key', 'name']

const rating = fc.record({ item: name, rater: name, label: fc.constantFrom(...LABELS) })
const ratings = fc.uniqueArray(rating, {
  minLength: 1,
  maxLength: 12,
  selector: (one) => JSON.stringify([one.item, one.rater]),
})
const ratingsAlone = fc.record({ ratings, labels: fc.constant(LABELS) }, { requiredKeys: ['ratings'] })

const mostly = (good: fc.Arbitrary<unknown>, other: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 8, arbitrary: good }, { weight: 1, arbitrary: other })

function overridesOf(operation: Operation, document: OpenApi, known: Known): Overrides {
  const id = (kind: string) => fc.nat().map((at) => pick(known.get(kind) ?? [], at) ?? 'unknown')
  return {
    ...Object.fromEntries(NAMED.map((one) => [one, name])),
    trajectory: mostly(
      trajectory,
      id('trajectories').map((one) => ({ id: one })),
    ),
    // What its members are, the rubric says, and not the document.
    ground_truth: mostly(
      fromSchema(GivenGroundTruthSchema as unknown as Schema, document, {}),
      fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
    ),
    ratings,
    label: mostly(fc.constantFrom(...LABELS), name),
    // What fits which label is the service's to say.
    ...(operation.id === 'createReview' && { claims: mostly(fc.constant({}), fc.jsonValue({ maxDepth: 2 })) }),
    judge: mostly(fc.constant('lexical'), name),
    rubric: mostly(fc.constantFrom('tab-behavior@1', 'tab-behavior'), name),
    mode: mostly(fc.constant('direct'), fc.constant('provider')),
    cursor: mostly(id(`${operation.id} cursors`), id('listGrades cursors')),
    batch: id('batches'),
    base: id('batches'),
    head: id('batches'),
    grade_id: id('grades'),
    // Not all that is stored: each re-grade would be larger than all before it.
    query: fc.oneof(
      fc.record({ batch: id('batches') }),
      fc.record({ ids: fc.array(id('grades'), { minLength: 1, maxLength: 3 }) }),
    ),
    recheck: mostly(fc.constant(false), fc.constant(true)),
  }
}

const pick = (list: readonly string[], at: number): string | undefined => list[at % Math.max(1, list.length)]

type Kind = Sent['kind']

function targetOf(
  operation: Operation,
  document: OpenApi,
  kind: Kind,
  known: Known,
  overrides: Overrides,
): fc.Arbitrary<string> {
  const bad = kind !== 'valid'
  const values = operation.parameters
    .filter((one) => one.in !== 'header')
    .map((one) => {
      const id = fc.nat().map((at) => pick(known.get(operation.path.split('/')[2] ?? '') ?? [], at) ?? 'unknown')
      const good = one.in === 'path' ? id : (overrides[one.name] ?? fromSchema(one.schema, document, overrides))
      const value = bad ? fc.oneof({ weight: 3, arbitrary: good }, { weight: 1, arbitrary: hostileText }) : good
      const isLeftOut = one.in === 'query' && one.required !== true
      const given = isLeftOut
        ? fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value })
        : value
      return fc.tuple(fc.constant(one), given)
    })
  const extra = bad
    ? fc.oneof({ weight: 5, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: hostileText })
    : fc.constant(null)
  return fc.tuple(fc.tuple(...values), extra).map(([given, name]) => {
    let path = operation.path
    const query: string[] = []
    for (const [parameter, value] of given) {
      if (value === null) continue
      const encoded = encodeURIComponent(String(value).toWellFormed())
      if (parameter.in === 'path') path = path.replace(`{${parameter.name}}`, encoded === '' ? '%20' : encoded)
      else query.push(`${parameter.name}=${encoded}`)
    }
    if (name !== null) query.push(`${encodeURIComponent(name.toWellFormed())}=1`)
    return query.length === 0 ? path : `${path}?${query.join('&')}`
  })
}

/** Bodies whose members do not go with each other as their schema has them. */
function wholeOf({ id }: Operation, generated: () => fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  if (id === 'uploadTrajectory') return trajectory
  return id === 'computeAgreement' ? fc.oneof(ratingsAlone, generated()) : generated()
}

interface Body {
  readonly headers: Record<string, string>
  readonly body: Buffer | null
}

function bodyOf(operation: Operation, document: OpenApi, kind: Kind, overrides: Overrides): fc.Arbitrary<Body> {
  if (operation.method === 'GET') return fc.constant({ headers: {}, body: null })
  if (operation.bodies.size === 0)
    return fc.constantFrom<Body>({ headers: {}, body: null }, { headers: JSON_TYPE, body: Buffer.from('{}') })
  return fc.constantFrom(...operation.bodies.keys()).chain((type) => {
    const lines = type === 'application/x-ndjson'
    const schema = operation.bodies.get('application/json') as Schema
    const whole = wholeOf(operation, () => fromSchema(schema, document, overrides))
    const value = lines ? linesOf(operation, document, overrides) : whole.map((one) => [one])
    return fc
      .record({
        value,
        seed: fc.nat(),
        other: hostileValue,
        damage: fc.constantFrom(...Object.keys(DAMAGE)),
        how: fc.nat(3),
        encoder: fc.constantFrom(...(Object.keys(ENCODERS) as Encoder[])),
      })
      .map(({ value: good, seed, other, damage, how, encoder }) => {
        const sent =
          kind === 'nearly valid'
            ? good.map((one, index) => (index === good.length - 1 ? mutate(one, seed, other) : one))
            : good
        const plain = sent.map((one) => JSON.stringify(one) ?? 'null').join('\n')
        const damaged = kind === 'hostile' ? (DAMAGE[damage] as (text: string) => string | Buffer)(plain) : plain
        return encode({ 'content-type': type }, Buffer.from(damaged as string), kind, how, encoder)
      })
  })
}

const JSON_TYPE = { 'content-type': 'application/json' }

/** A quarter of the bodies are compressed; hostile ones may be so in name only. */
function encode(headers: Record<string, string>, bytes: Buffer, kind: Kind, how: number, encoder: Encoder): Body {
  if (how !== 0) return { headers, body: bytes }
  const encoded = { ...headers, 'content-encoding': encoder }
  const isHonest = kind !== 'hostile' || bytes.length % 2 === 0
  return { headers: encoded, body: isHonest ? ENCODERS[encoder](bytes) : bytes }
}

function linesOf(operation: Operation, document: OpenApi, overrides: Overrides): fc.Arbitrary<unknown[]> {
  const item = fromSchema({ $ref: '#/components/schemas/BatchItem' }, document, overrides)
  const record =
    operation.id === 'uploadTrajectory'
      ? fc.record({ type: fc.constantFrom('user', 'assistant'), message: text })
      : item
  return fc.array(record, { minLength: 1, maxLength: 4 })
}

function headersOf(operation: Operation, kind: Kind): fc.Arbitrary<Record<string, string>> {
  const takesKey = operation.parameters.some((one) => one.in === 'header')
  const key = takesKey ? fc.option(fc.oneof(fc.uuid(), fc.constant('k')), { freq: 1 }) : fc.constant(null)
  const odd = fc.constantFrom<Record<string, string>>(
    ...[{}, {}, {}, { 'content-type': 'text/plain' }, { 'content-encoding': 'compress' }, { accept: 'text/csv' }],
    ...[{ 'if-none-match': '*' }, { 'idempotency-key': 'x'.repeat(300) }, { origin: 'null' }],
  )
  return fc
    .tuple(key, kind === 'hostile' ? odd : fc.constant({}))
    .map(([one, more]) => ({ ...(one !== null && { 'idempotency-key': one }), ...more }))
}
