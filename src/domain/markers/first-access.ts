import { type Act, NOT_RUN } from '../acts/act.ts'
import { baseName } from '../acts/mentions.ts'
import { isBefore, isRepeat, type Part, type Position, type Trajectory } from '../trajectory/trajectory.ts'
import { lastName, matchesName } from './path-glob.ts'

/**
 * Whether the agent may have accessed an expected file before a position: it named one in an act, or did something of which it cannot be said
 * what it reads. Only commands that are known to print nothing of a file, and reads of files with other names, are no access; so what is shown
 * before any access came from elsewhere for sure. Files are told apart by their last name: nothing says where the task's folder lies in the
 * container. Linear.
 */
export function mayHaveAccessed(trajectory: Trajectory, expectedIn: readonly string[], before: Position): boolean {
  const names = expectedIn.map(lastName)
  const isExpected = (path: string): boolean => names.some((name) => matchesName(name, baseName(path)))
  for (const [step, { parts }] of trajectory.steps.entries()) {
    if (step > before.step) return false
    if (isRepeat(trajectory, step)) continue
    for (const [part, one] of parts.entries())
      if (isBefore({ step, part }, before) && mayAccess(one, isExpected)) return true
  }
  return false
}

type IsExpected = (path: string) => boolean

function mayAccess({ actor, act, text }: Part, isExpected: IsExpected): boolean {
  if (actor !== 'agent_action') return false
  if (act === null) return shellMayAccess(text, isExpected)
  if (NOT_RUN.has(act.call.outcome)) return false
  return byRole(act, text, isExpected)
}

function byRole({ role, language, target }: Act, text: string, isExpected: IsExpected): boolean {
  switch (role) {
    case 'describes':
    case 'thinks':
      return false
    case 'executes':
      return language === 'shell' || language === 'keystrokes' ? shellMayAccess(text, isExpected) : true
    case 'reads':
    case 'writes':
    case 'removes':
      return target === null ? readsOther(text.split(/\s/u), isExpected) : isExpected(target) || isPattern(target)
    default:
      return true
  }
}

/** Commands that print nothing of a file's content or name. */
const SILENT = new Set(
  ': [ cd chmod clear cp date echo exit export false hostname id mkdir mv printf pwd sleep test touch true unset whoami'.split(
    ' ',
  ),
)
/** Commands that print the files they name, and no others. */
const READERS = new Set('bat cat file head less md5sum more nl sha256sum stat tac tail wc'.split(' '))

/** Longer command lines are not taken apart: what they read cannot be said. */
const LONGEST = 20_000

function shellMayAccess(text: string, isExpected: IsExpected): boolean {
  if (text.length > LONGEST) return true
  return text.split(/[\n\r;&|]/u).some((command) => {
    const words = command.split(/\s/u).filter((word) => word !== '')
    const [program] = words
    if (program === undefined) return false
    if (words.some((word) => word.includes('`') || word.includes('$('))) return true
    if (SILENT.has(program)) return words.some((word) => word.includes('<'))
    return READERS.has(program) ? readsOther(words.slice(1), isExpected) : true
  })
}

/** Whether one of the words names an expected file, or may stand for one. */
const readsOther = (words: readonly string[], isExpected: IsExpected): boolean =>
  words.some((word) => {
    const path = unquoted(word)
    return isPattern(path) || isExpected(path)
  })

/** What a shell makes a name of. */
const isPattern = (word: string): boolean => ['*', '?', '[', '$', '{', '\\', '<'].some((mark) => word.includes(mark))

const unquoted = (word: string): string => word.replaceAll('"', '').replaceAll("'", '')
