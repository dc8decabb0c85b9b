import { err, ok, type Result } from '../../domain/result.ts'
import { parseJson } from '../../domain/text/json.ts'
import { isRecord } from '../../formats/common/reading.ts'
import { SIGNALS, type Signal, type Signals } from '../../schemas/trial.ts'
import { findFile, type Place, readText, relativeNames } from '../unpack/place.ts'

const OPERATORS = ['>=', '<=', '==', '!=', '>', '<'] as const
type Operator = (typeof OPERATORS)[number]

interface Comparison {
  readonly operator: Operator
  readonly value: string | number | boolean
}

/** The source of one signal of a trial. */
export interface SignalSource {
  readonly signal: Signal
  readonly place:
    | { readonly kind: 'reward'; readonly key: string }
    | { readonly kind: 'file'; readonly names: readonly string[]; readonly pointer: readonly string[] }
    /** Disables the signal, its default too. */
    | { readonly kind: 'none' }
  /** The comparison with a value; null where the value itself must be true or false. */
  readonly comparison: Comparison | null
}

/** The default source: the result of Harbor's and Terminal-Bench's own tests. */
const RESOLVED: SignalSource = {
  signal: 'resolved',
  place: { kind: 'reward', key: 'reward' },
  comparison: { operator: '>=', value: 1 },
}

/** Adds the default source of each signal that the requested sources leave out. */
export const withDefaults = (requested: readonly SignalSource[]): readonly SignalSource[] => [
  ...requested,
  ...(requested.some(({ signal }) => signal === RESOLVED.signal) ? [] : [RESOLVED]),
]

const PLACES = ['<signal>=reward:<key>[<op><value>]', '<signal>=file:<path>[#<json pointer>][<op><value>]']
const SYNTAX = `${PLACES.join(' or ')} or <signal>=none`

/**
 * Parses the source of a signal: `<signal>=<place>[<op><value>]`.
 *
 * - `signal`: `appeared`, `executed` or `resolved`.
 * - `reward:<key>`: a reward of the trial (`result.json`, `verifier/reward.txt`, `verifier/reward.json`; of Terminal-Bench 1 `reward`, and
 * `tests.<name>` for each of its tests; of an Inspect log its scores).
 * - `file:<path>#<pointer>`: a JSON pointer (RFC 6901) into a JSON file of the trial; without `#`, the whole file. The path is relative to
 * the trial's folder and cannot leave it.
 * - `<op><value>`: `>=`, `<=`, `>`, `<`, `==`, `!=` and a number, `true`, `false` or a text (in quotes or not). Without it the place must
 * hold true, false, 1 or 0. Every comparison treats true and false as 1 and 0.
 * - `none`: the signal is not measured, not even by its default.
 *
 * A missing place leaves the signal unknown, never false.
 *
 * @example
 * parseSignalSource('resolved=reward:reward>=1')
 * parseSignalSource('appeared=file:verifier/signals.json#/appeared')
 * parseSignalSource('executed=file:verifier/ctrf.json#/results/tests/2/status==passed')
 * parseSignalSource('executed=reward:distractor_resisted==0')
 */
export function parseSignalSource(text: string): Result<SignalSource, string> {
  const [signal, rest] = splitAt(text.trim(), '=')
  const name = SIGNALS.find((candidate) => candidate === signal)
  if (name === undefined || rest === null) return err(`${shown(text)} is no signal: ${SYNTAX}`)
  if (rest.trim() === 'none') return ok({ signal: name, place: { kind: 'none' }, comparison: null })
  const { head, comparison } = splitComparison(rest)
  if (head.endsWith('=') || (comparison === null && head.includes('=')))
    return err(`${shown(text)}: = compares nothing; write == or >=`)
  if (comparison?.value === '' && !text.trim().endsWith('""'))
    return err(`${shown(text)}: nothing stands after ${comparison.operator}`)
  const [kind, where] = splitAt(head, ':')
  if (where === null || where === '') return err(`${shown(text)} names no place: ${SYNTAX}`)
  if (kind === 'reward') return ok({ signal: name, place: { kind, key: where }, comparison })
  if (kind !== 'file') return err(`${shown(text)}: a place begins with reward: or file:`)
  const [path, fragment] = splitAt(where, '#')
  const names = relativeNames(path)
  if (names === null) return err(`${shown(text)}: the path must be relative and stay in the trial`)
  const pointer = parsePointer(fragment ?? '')
  if (pointer === null) return err(`${shown(text)}: what follows # is no JSON pointer`)
  return ok({ signal: name, place: { kind, names, pointer }, comparison })
}

const shown = (text: string): string => JSON.stringify(text.slice(0, 100).toWellFormed())

function splitAt(text: string, mark: string): [string, string | null] {
  const at = text.indexOf(mark)
  return at === -1 ? [text, null] : [text.slice(0, at), text.slice(at + mark.length)]
}

/** Splits off the last comparison in the text, so that a key may hold `<` and `>` before it. */
function splitComparison(text: string): { head: string; comparison: Comparison | null } {
  const operators = OPERATORS.map((operator) => ({ operator, at: text.lastIndexOf(operator) })).filter(
    ({ at }) => at > 0,
  )
  // `>=` ends where `=` does: of two overlapping operators the longer wins.
  const last = operators.sort((a, b) => b.at + b.operator.length - (a.at + a.operator.length) || a.at - b.at)[0]
  if (last === undefined) return { head: text, comparison: null }
  const value = text.slice(last.at + last.operator.length).trim()
  return { head: text.slice(0, last.at).trim(), comparison: { operator: last.operator, value: scalarOf(value) } }
}

function scalarOf(text: string): string | number | boolean {
  const value = parseJson(text)
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : text
}

function parsePointer(text: string): string[] | null {
  if (text === '') return []
  if (!text.startsWith('/')) return null
  return text
    .slice(1)
    .split('/')
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

interface MeasuredIn {
  readonly rewards: Readonly<Record<string, number | boolean>>
  /** Folders in which a file's path is searched, the nearest first. */
  readonly folders: readonly Place[]
  readonly maxBytes: number
}

interface Measured {
  readonly signals: Signals
  readonly warnings: readonly string[]
  /** Sources without a value, where no other source gave their signal. */
  readonly missing: readonly SignalSource[]
}

/** Measures the signals of a trial in its own files. A place with an unusable value is a warning. */
export async function measureSignals(
  sources: readonly SignalSource[],
  { rewards, folders, maxBytes }: MeasuredIn,
): Promise<Measured> {
  const signals: Signals = {}
  const warnings: string[] = []
  const absent: SignalSource[] = []
  for (const source of sources) {
    const { signal, place, comparison } = source
    if (signals[signal] !== undefined || place.kind === 'none') continue
    const value =
      place.kind === 'reward'
        ? valueAt(rewards, [place.key])
        : await readPointer(folders, place.names, place.pointer, maxBytes)
    if (value === undefined) {
      absent.push(source)
      continue
    }
    const result = comparison === null ? truthOf(value) : compare(value, comparison)
    if (result === null)
      warnings.push(`the place of the signal ${signal} holds nothing that can be compared; it is unknown`)
    else signals[signal] = result
  }
  return { signals, warnings, missing: absent.filter(({ signal }) => signals[signal] === undefined) }
}

const truthOf = (value: unknown): boolean | null =>
  value === true || value === 1 ? true : value === false || value === 0 ? false : null

function compare(measured: unknown, { operator, value: wanted }: Comparison): boolean | null {
  if (typeof measured === 'object' && measured !== null) return null
  const value = numberOf(measured)
  const other = numberOf(wanted)
  if (operator === '==') return value === other
  if (operator === '!=') return value !== other
  if (typeof value !== 'number' || typeof other !== 'number') return null
  if (operator === '>=') return value >= other
  if (operator === '<=') return value <= other
  return operator === '>' ? value > other : value < other
}

/** Converts booleans to numbers: verifiers write either `true` or 1. */
const numberOf = (value: unknown): unknown => (typeof value === 'boolean' ? Number(value) : value)

async function readPointer(
  folders: readonly Place[],
  names: readonly string[],
  pointer: readonly string[],
  maxBytes: number,
): Promise<unknown> {
  for (const folder of folders) {
    const file = await findFile(folder, ...names)
    const read = file === null ? null : await readText(file, maxBytes)
    if (read?.kind !== 'read') continue
    return valueAt(parseJson(read.text) ?? read.text.trim(), pointer)
  }
  return undefined
}

function valueAt(root: unknown, pointer: readonly string[]): unknown {
  let value = root
  for (const token of pointer) {
    if (Array.isArray(value)) value = /^(?:0|[1-9]\d{0,8})$/.test(token) ? value[Number(token)] : undefined
    else value = isRecord(value) && Object.hasOwn(value, token) ? value[token] : undefined
  }
  return value
}
