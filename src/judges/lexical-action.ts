import type { InstructionAnchors } from '../domain/anchors.ts'
import { findFirst, type Hit, indexOfWord } from '../domain/search.ts'
import type { Part, Step, Trajectory } from '../domain/trajectory.ts'
import type { ConfidenceLevel } from '../schemas/vocabulary.ts'

/** An action that follows an instruction, as far as its strings tell. */
export interface Followed {
  readonly hit: Hit
  readonly strength: ConfidenceLevel
  readonly why: string
}

/** Commands that only look: a string of the instruction among their arguments is no act. */
const LOOKING = new Set(
  'cat less more head tail grep rg egrep fgrep ls find file stat wc diff type which strings view read_file'.split(' '),
)
/** Commands that only say or note: a string after them is told, not done. */
const TELLING = new Set('echo printf #'.split(' '))

/**
 * The first action after the observation that holds an action anchor. Anchors that the harness gave are trusted wherever the agent
 * really does something; derived ones need a whole command, or two of them in one action. Looking and telling are no acts.
 */
export function findFollowed(
  trajectory: Trajectory,
  anchors: InstructionAnchors,
  after: (part: Part, step: Step) => boolean,
): Followed | null {
  const actor = (part: Part) =>
    part.actor === 'agent_action' || (anchors.acted_by === 'message' && part.actor === 'agent_message')
  const given = findFirst(
    trajectory,
    anchors.acted_given,
    (part, step) => actor(part) && after(part, step) && anchors.acted_given.some((anchor) => isDone(part, anchor)),
  )
  if (given !== null) return { hit: given, strength: 'high', why: 'a given action anchor' }
  const commands = anchors.acted_derived.filter((anchor) => anchor.includes(' '))
  const whole = findFirst(
    trajectory,
    commands,
    (part, step) => actor(part) && after(part, step) && commands.some((anchor) => isDone(part, anchor)),
  )
  if (whole !== null) return { hit: whole, strength: 'medium', why: 'a whole command of its text' }
  const several = findFirst(
    trajectory,
    anchors.acted_derived,
    (part, step) =>
      actor(part) && after(part, step) && anchors.acted_derived.filter((anchor) => isDone(part, anchor)).length >= 2,
  )
  return several === null ? null : { hit: several, strength: 'low', why: 'several strings of its text' }
}

/** Whether the anchor stands in a command of the part that does something with it. */
function isDone(part: Part, anchor: string): boolean {
  if (part.actor === 'agent_message') return indexOfWord(part.text, anchor, 0) !== -1
  for (let at = indexOfWord(part.text, anchor, 0); at !== -1; at = indexOfWord(part.text, anchor, at + 1)) {
    const command = commandBefore(part.text, at)
    if (command === '' || !(LOOKING.has(command) || TELLING.has(command))) return true
    if (redirects(part.text, at)) return true
  }
  return false
}

/** Where the command that holds `at` begins: behind the last separator. */
function commandStart(text: string, at: number): number {
  let start = at
  while (start > 0 && !'\n;|&('.includes(text[start - 1] ?? '')) start--
  return start
}

/** The command word before `at`; empty where the anchor itself begins the command. */
function commandBefore(text: string, at: number): string {
  const words = text
    .slice(commandStart(text, at), at)
    .trim()
    .split(' ')
    .filter((word) => word !== '' && word !== 'sudo' && !word.includes('='))
  const first = words[0] ?? ''
  return first.startsWith('#') ? '#' : (first.split('/').at(-1) ?? '')
}

const WRITING = ['>', '| tee ', '| sh', '| bash', '| python'] as const

/** `echo X > file` writes: the command around the anchor sends its output somewhere. Errors thrown away do not count. */
function redirects(text: string, at: number): boolean {
  const stop = text.indexOf('\n', at)
  const command = text.slice(commandStart(text, at), stop === -1 ? text.length : stop)
  const kept = command.split('2>/dev/null').join('').split('2>&1').join('').split('>/dev/null').join('')
  return WRITING.some((sign) => kept.includes(sign))
}
