import type { Act, Call } from '../domain/acts/act.ts'
import type { Picture } from '../domain/trajectory/picture.ts'
import type { Part, Step, Trajectory } from '../domain/trajectory/trajectory.ts'

/**
 * A trajectory in a form that is copied between threads within milliseconds: half a million parts as objects take a second of both. Pictures
 * stay where they are: a search reads none.
 */
export interface PackedTrajectory {
  readonly head: Omit<Trajectory, 'steps'>
  readonly steps: readonly (Omit<Step, 'parts'> & { readonly parts: number })[]
  readonly actors: readonly Part['actor'][]
  readonly texts: PackedStrings
  readonly paths: PackedStrings
  readonly names: PackedStrings
  readonly media: readonly boolean[]
  /** Of each part, the place of its act; -1: none. */
  readonly actOf: Int32Array
  readonly acts: readonly Omit<Act, 'call'>[]
  readonly callOf: Int32Array
  readonly calls: readonly Call[]
}

/** In memory that threads share, so that only its place is sent. */
interface PackedStrings {
  readonly bytes: Uint8Array
  /** UTF-8 has no half characters. */
  readonly encoding: 'utf8' | 'utf16le'
  readonly lengths: Uint32Array
}

/** Both forms of a run. */
const packedRuns = new WeakMap<Trajectory, PackedTrajectory>()

export function packTrajectory(trajectory: Trajectory): PackedTrajectory {
  const packed = packedRuns.get(trajectory) ?? packAnew(trajectory)
  packedRuns.set(trajectory, packed)
  return packed
}

function packAnew(trajectory: Trajectory): PackedTrajectory {
  const { steps, ...head } = trajectory
  const parts = steps.flatMap((step) => step.parts)
  const acts = numbered(parts.flatMap(({ act }) => (act === null ? [] : [act])))
  const calls = numbered([...acts.keys()].map(({ call }) => call))
  return {
    head,
    steps: steps.map((step) => ({ ...step, parts: step.parts.length })),
    actors: parts.map((part) => part.actor),
    texts: packStrings(parts.map((part) => part.text)),
    paths: packStrings(parts.map((part) => part.path)),
    names: packStrings(parts.map((part) => part.name)),
    media: parts.map((part) => part.media),
    actOf: Int32Array.from(parts, ({ act }) => (act === null ? -1 : (acts.get(act) ?? -1))),
    acts: [...acts.keys()].map(({ role, language, target }) => ({ role, language, target })),
    callOf: Int32Array.from(acts.keys(), ({ call }) => calls.get(call) ?? -1),
    calls: [...calls.keys()],
  }
}

/** `pictures`: by the place of their parts. */
export function unpackTrajectory(packed: PackedTrajectory, pictures?: ReadonlyMap<number, Picture>): Trajectory {
  const { actors, media, calls, callOf, actOf } = packed
  const acts = packed.acts.map((act, index): Act => ({ ...act, call: at(calls, at(callOf, index)) }))
  const texts = unpackStrings(packed.texts)
  const paths = unpackStrings(packed.paths)
  const names = unpackStrings(packed.names)
  const parts = actors.map((actor, index): Part => {
    const act = at(actOf, index)
    const picture = pictures?.get(index)
    return {
      ...{ actor, text: at(texts, index), path: at(paths, index), name: at(names, index), media: at(media, index) },
      act: act === -1 ? null : at(acts, act),
      ...(picture !== undefined && { picture }),
    }
  })
  let first = 0
  const steps = packed.steps.map((step): Step => {
    const from = first
    first += step.parts
    return { ...step, parts: parts.slice(from, first) }
  })
  const trajectory = { ...packed.head, steps }
  packedRuns.set(trajectory, packed)
  return trajectory
}

const numbered = <T>(all: readonly T[]): Map<T, number> =>
  new Map([...new Set(all)].map((one, index) => [one, index] as const))

function at<T>(list: ArrayLike<T>, index: number): T {
  const one = list[index]
  if (one === undefined) throw new RangeError(`a packed trajectory holds nothing at ${index}`)
  return one
}

function packStrings(strings: readonly string[]): PackedStrings {
  const all = strings.join('')
  const encoding = all.isWellFormed() ? 'utf8' : 'utf16le'
  const bytes = Buffer.from(new SharedArrayBuffer(Buffer.byteLength(all, encoding)))
  bytes.write(all, encoding)
  return { bytes, encoding, lengths: Uint32Array.from(strings, (one) => one.length) }
}

function unpackStrings({ bytes, encoding, lengths }: PackedStrings): string[] {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(encoding)
  let end = 0
  return Array.from(lengths, (length) => {
    end += length
    return all.slice(end - length, end)
  })
}
