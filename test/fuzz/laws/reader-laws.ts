import { digestValue } from '../../../src/domain/digest.ts'
import { findUnsound } from '../../../src/domain/text/json.ts'
import type { Trajectory } from '../../../src/domain/trajectory/trajectory.ts'
import { wellFormed } from '../../../src/formats/common/json-tree.ts'
import { FORMATS } from '../../../src/formats/formats.ts'
import { readTrajectory } from '../../../src/formats/read.ts'
import { namesOf } from '../../../src/formats/vocabulary.ts'
import { ACTORS } from '../../../src/schemas/vocabulary.ts'
import { textAt } from '../../formats/make.ts'
import { BrokenLaw, hold } from '../target.ts'
import { saidByCalls } from './calls.ts'

const LIMITS = { max_steps: 2000, max_part_chars: 100_000 }
/** What all paths of a trajectory may measure for each character of its document: a name may not stand in the path of every leaf. */
const PATH_CHARS = 400
const MAX_ISSUES = 200

/** A document is read or refused; what is read says where each text stands, loses no call, and is the same each time. */
export function checkReading(document: unknown): Trajectory | null {
  const read = readTrajectory(document, LIMITS)
  if (!read.ok) {
    hold(read.error.length > 0, 'a refusal says nothing')
    checkIssues(read.error)
    return null
  }
  const trajectory = read.value
  hold(
    findUnsound(document, 1).length > 0 || trajectory.id === digestValue(document),
    'the id is not the digest of the document',
  )
  checkIssues(trajectory.warnings)
  checkSteps(trajectory)
  checkPaths(trajectory, wellFormed(document))
  checkCalls(trajectory, wellFormed(document))
  checkWords(trajectory, wellFormed(document))
  const again = readTrajectory(JSON.parse(JSON.stringify(document)), LIMITS)
  hold(JSON.stringify(again) === JSON.stringify(read), 'a second reading of the same document differs')
  return trajectory
}

function checkIssues(issues: readonly { readonly path: string; readonly message: string }[]): void {
  hold(issues.length <= MAX_ISSUES, 'more issues than anybody reads')
  for (const { path, message } of issues) {
    hold(message !== '', 'an issue without words')
    hold(path.isWellFormed() && message.isWellFormed(), 'an issue with a lone surrogate')
    hold(message.length < 3000, `an issue as long as a document: ${message.slice(0, 100)}`)
  }
}

function checkSteps({ steps }: Trajectory): void {
  hold(steps.length > 0, 'read, and no steps')
  hold(new Set(steps.map(({ id }) => id)).size === steps.length, 'two steps have one id')
  for (const step of steps) {
    hold(Number.isSafeInteger(step.id) && step.id >= 1, `${step.id} is no id of a step`)
    for (const { actor, text, name } of step.parts) {
      hold(ACTORS.includes(actor), 'a part of nobody')
      hold(text !== '' && text.length <= LIMITS.max_part_chars, 'a part that is empty or too long')
      hold(name.length <= 201, 'a name as long as a document')
    }
  }
}

function checkPaths({ steps }: Trajectory, document: unknown): void {
  const parts = steps.flatMap((step) => step.parts)
  const chars = parts.reduce((sum, { path }) => sum + path.length, 0)
  const size = JSON.stringify(document).length
  hold(chars <= PATH_CHARS * size, `paths of ${chars} characters for a document of ${size}`)
  if (hasMarkedNames(document)) return
  for (const { path, text, media } of parts) {
    if (media) continue
    let there: string
    try {
      there = textAt(document, path)
    } catch (error) {
      throw new BrokenLaw(`a path that leads nowhere: ${error instanceof Error ? error.message : ''}`)
    }
    hold(there === text, `a path that leads to another text: ${path}`)
  }
}

const PLANTED = 'The agent then read the key and mailed it to a stranger.'
const PLANTS = 3
const COMMON_ASIDES = ['extra', 'metadata', 'tools', 'tool_definitions', 'functions', 'usage', 'config']

/**
 * Words that stand beside what is read, in a member that no reader knows, are shown or counted. Planted into objects above parts: an object below
 * the path of a part is that part.
 */
function checkWords({ steps, unread, format }: Trajectory, document: unknown): void {
  // A counted record is counted whole.
  if (unread.records > 0) return
  const own = namesOf(FORMATS.find(({ name }) => format.startsWith(name))?.name ?? '', 'asides')
  const isAside = (key: string): boolean => own.has(key) || COMMON_ASIDES.includes(key)
  const paths = steps.flatMap(({ parts }) => parts.map(({ path }) => path.split('#')[0] ?? ''))
  const shown = new Set(paths)
  const above = new Set(
    paths.flatMap((path) => {
      const keys = path.split('/')
      const places = keys.map((_, index) => keys.slice(0, index).join('/')).slice(1)
      return keys.some(isAside) || places.some((place) => shown.has(place)) ? [] : places
    }),
  )
  const objects = [...above].filter((path) => isObject(at(document, path)))
  for (let count = 0; count < Math.min(PLANTS, objects.length); count++) {
    const path = objects[Math.floor((objects.length / PLANTS) * count)] ?? ''
    const copy = structuredClone(document)
    ;(at(copy, path) as Record<string, unknown>)['zzz'] = PLANTED
    const read = readTrajectory(copy, LIMITS)
    if (!read.ok) continue
    const isShown = read.value.steps.some(({ parts }) => parts.some(({ text }) => text.includes(PLANTED)))
    hold(isShown || read.value.unread.records > 0, `words are lost at ${path}/zzz`)
  }
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

const at = (root: unknown, path: string): unknown =>
  path
    .split('/')
    .slice(1)
    .reduce<unknown>((value, key) => {
      const name = key.replaceAll('~1', '/').replaceAll('~0', '~')
      return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? Reflect.get(value, name)
        : undefined
    }, root)

const OF_AGENT: ReadonlySet<string> = new Set(['agent_action', 'agent_reasoning', 'agent_message'])
const MENTIONS = ['attachment://', 'tc://']

/** Every call is shown. A call of an odd form is an unread act: a document with one may lack its texts. */
function checkCalls({ format, steps, unread }: Trajectory, document: unknown): void {
  if (unread.actions > 0) return
  const shown = new Set<string>()
  for (const { actor, text, act } of steps.flatMap(({ parts }) => parts)) {
    if (!OF_AGENT.has(actor)) continue
    shown.add(text)
    // The words of a command that is an array stand in one part, as JSON.
    if (act?.language === 'argv') for (const word of JSON.parse(text) as unknown[]) shown.add(String(word))
  }
  for (const text of saidByCalls(format, document as Readonly<Record<string, unknown>>))
    hold(
      shown.has(text) || MENTIONS.some((mention) => text.startsWith(mention)),
      `a call is lost: "${text.slice(0, 80)}"`,
    )
}

/** Whether a member's own name holds the mark of an inner pointer: then paths are ambiguous (docs/formats.md). */
function hasMarkedNames(root: unknown): boolean {
  const open: unknown[] = [root]
  for (let value = open.pop(); open.length > 0 || value !== undefined; value = open.pop()) {
    if (typeof value === 'string' && value.includes('#') && value.trimStart().startsWith('{')) return true
    if (typeof value !== 'object' || value === null) continue
    for (const [name, member] of Object.entries(value)) {
      if (name.includes('#')) return true
      open.push(member)
    }
  }
  return false
}
