import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import type { Issue } from '../../src/domain/result.ts'
import type { Trajectory } from '../../src/domain/trajectory/trajectory.ts'
import type { ReadLimits } from '../../src/formats/common/reading.ts'
import { readTrajectory } from '../../src/formats/read.ts'

export const LIMITS: ReadLimits = { max_steps: 10_000, max_part_chars: 5_000_000 }

/** Makes an ATIF document of the steps; a step without `step_id` receives its number. */
export function atif(steps: readonly object[], root: object = {}): Record<string, unknown> {
  return {
    schema_version: 'ATIF-v1.7',
    agent: { name: 'some-agent', version: '1', model_name: 'm' },
    steps: steps.map((step, index) => ({ step_id: index + 1, source: 'agent', message: '', ...step })),
    ...root,
  }
}

export function read(document: unknown, limits: Partial<ReadLimits> = {}): Trajectory {
  const result = readTrajectory(document, { ...LIMITS, ...limits })
  if (!result.ok) throw new Error(`refused: ${JSON.stringify(result.error)}`)
  return result.value
}

export function refuse(document: unknown, limits: Partial<ReadLimits> = {}): Issue[] {
  const result = readTrajectory(document, { ...LIMITS, ...limits })
  if (result.ok) throw new Error('read, where a refusal was due')
  return result.error
}

/** Lists the places of the odd values of a document that is read all the same; each is one unread act. */
export function oddIn(document: unknown): string[] {
  const { warnings, unread } = read(document)
  const odd = warnings.filter(({ message }) => message.startsWith('must be ') && message.endsWith('; not read'))
  expect(unread.actions).toBeGreaterThanOrEqual(odd.length)
  return pathsOf(odd)
}

/** Lists `[actor, name, path, text]` of every part of a step, for tables of expectations. */
export const partsOf = (trajectory: Trajectory, index: number): string[][] =>
  (trajectory.steps[index]?.parts ?? []).map((part) => [part.actor, part.name, part.path, part.text])

/** Drops the warnings about unknown tools, because every made-up tool causes such a warning. */
export const beyondTools = (issues: readonly Issue[]): Issue[] =>
  issues.filter(({ message }) => !(message.startsWith('the tool "') && message.includes(' is not known')))

export const pathsOf = (issues: readonly Issue[]): string[] => issues.map((issue) => issue.path)

/**
 * Finds the text at the path of a part: RFC 6901, then, behind `#`, a path inside the JSON that the string contains. The function shares no
 * code with the readers, because it is their oracle.
 */
export function textAt(document: unknown, path: string): string {
  const [whole = '', range] = path.split('#char=')
  if (range !== undefined) {
    const [place = '', ...inner] = range.split('#')
    const [start, end] = place.split(',').map(Number)
    const piece = textAt(document, whole).slice(start, end)
    return inner.length === 0 ? piece : asText(valueAt(JSON.parse(piece), inner.join('#')))
  }
  // A string can contain JSON, whose strings can contain JSON again.
  const [outer = '', ...inner] = path.split('#')
  let value = valueAt(document, outer)
  for (const pointer of inner) {
    if (typeof value !== 'string') throw new Error(`${path}: no JSON text before the #`)
    value = valueAt(JSON.parse(value), pointer)
  }
  return asText(value)
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

function valueAt(root: unknown, path: string): unknown {
  let value = root
  for (const token of path.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) throw new Error(`${path}: no ${key}`)
    value = (value as Record<string, unknown>)[key]
  }
  return value
}

/** Checks that the path of every part leads to its text in the document. */
export function expectPlaces(document: unknown, trajectory: Trajectory): void {
  const parts = trajectory.steps.flatMap((step) => step.parts).filter(({ media }) => !media)
  expect(parts.length).toBeGreaterThan(0)
  for (const part of parts) if (textAt(document, part.path) !== part.text) expect.unreachable(part.path)
}

/** Reads a document and expects that every part is at its path; answers the trajectory. */
export function holds(document: unknown): Trajectory {
  const trajectory = read(document)
  expectPlaces(document, trajectory)
  return trajectory
}

/** Reads a seed document of the fuzzer, by its folder and name. */
export const sample = (folder: string, name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(new URL(`../fuzz/corpus/${folder}/seed-${name}.json`, import.meta.url), 'utf8'))
