import { parseJson } from '../../domain/text/exact-json.ts'
import { isRecord } from '../../formats/common/reading.ts'
import type { Signals } from '../../schemas/ground-truth.ts'
import { findFile, type Place } from '../unpack/place.ts'
import { readText } from '../unpack/text.ts'
import type { Comparison, SignalSource } from './signals.ts'

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
        ? Object.hasOwn(rewards, place.key)
          ? rewards[place.key]
          : undefined
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
