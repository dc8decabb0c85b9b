import { wordSet } from '../../text/words.ts'
import { type Call, mentionAll } from '../syntax/call.ts'
import { weakest } from '../syntax/use.ts'
import type { Halt, Machine, Scope } from './machine.ts'
import type { Status } from './outcome.ts'
import { setArguments } from './set-variables.ts'

/** What leaves a script, a function or a loop, whatever its arguments are. */
export const LEAVES_ALWAYS = wordSet('exit return break continue')

export type Special = (machine: Machine, call: Call) => Status

/** Commands that leave a script, a function or a loop, and the options that say when one is left. */
export const FLOW: Readonly<Record<string, Special>> = {
  exit: (machine, { words }) => {
    machine.halt = 'exit'
    return givenStatus(machine, words)
  },
  return: (machine, { words }) => {
    if (machine.calls > 0) {
      machine.halt = 'return'
      return givenStatus(machine, words)
    }
    // Outside of a function it fails, but for a file that is sourced, which it leaves.
    machine.perhapsLeft.add('exit')
    machine.fails = 'often'
    return null
  },
  break: (machine, call) => leaveLoop(machine, call, 'break'),
  continue: (machine, call) => leaveLoop(machine, call, 'continue'),
  set: (machine, { words, fields, scope }) => {
    const end = setOptions(machine, words, scope)
    if (end < words.length) setArguments(machine, words.slice(words[end] === '--' ? end + 1 : end), scope)
    return mentionAll(machine, fields.slice(0, end), weakest('done', scope.use), 'told')
  },
}

/** `set -eu -o pipefail`: answers where its options end, and the arguments of the script begin. */
function setOptions(machine: Machine, words: readonly string[], { use }: Scope): number {
  let at = 1
  for (; /^[-+][a-zA-Z]+$/u.test(words[at] ?? ''); at++) {
    const word = words[at] ?? ''
    const name = word.endsWith('o') ? words[++at] : ''
    const isOn = word.startsWith('-')
    const status = use === 'done' ? isOn : null
    if (word.includes('e') || name === 'errexit') machine.stopsOnFailure = status
    if (name === 'pipefail') machine.pipeFails = status
    if (isOn && (word.includes('n') || name === 'noexec')) machine.halt = 'exit'
  }
  return at
}

/** Of `exit 1`, `return 0`; alone they answer what the command before them did. */
function givenStatus(machine: Machine, [, code = '']: readonly string[]): Status {
  if (/^\d{1,3}$/u.test(code)) return Number(code) % 256 === 0
  machine.fails = 'often'
  return null
}

/** `break 2` leaves more than is followed. */
function leaveLoop(machine: Machine, { words }: Call, kind: Halt): Status {
  if (machine.loops === 0) return true
  if (words.length > 1) machine.perhapsLeft.add('exit')
  machine.halt = kind
  return null
}
