import { readShell as readScript, type ScriptLanguage, UNREAD as UNREAD_SCRIPT } from '../shell/read-shell.ts'
import type { ScriptContext } from '../shell/use.ts'
import { type Use as ScriptUse, strongest as strongestUse } from '../shell/use.ts'

/** Uses of strings in the three words of acts, until acts take the five of scripts. */
export type Use = 'done' | 'unsure' | 'told' | 'absent'
export type Taken = Exclude<Use, 'absent'>

const OF = { whole: 'done', sure: 'done', maybe: 'unsure', told: 'told', absent: 'absent' } as const
const BACK = { done: 'whole', unsure: 'maybe', told: 'told', absent: 'absent' } as const

export const useOf = <U extends ScriptUse>(use: U) => OF[use] as U extends 'absent' ? Use : Taken
export const strongest = <U extends Use>(a: U, b: U): U =>
  strongestUse<ScriptUse>(BACK[a], BACK[b]) === BACK[a] ? a : b
export const weakest = <A extends Use, B extends Use>(a: A, b: B): A | B => (strongest<Use>(a, b) === a ? b : a)

export interface ShellReading {
  useOf(anchor: string): Use
  useAt(start: number, end: number): Taken
  looksAt(text: string): boolean
  readonly isOne: boolean
  readonly runs: readonly string[]
  readonly outputs: readonly string[]
}
const wrap = (reading: ReturnType<typeof readScript>): ShellReading => ({
  ...{ isOne: reading.isOne, runs: reading.runs, outputs: reading.outputs },
  useOf: (text) => OF[reading.useOf(text)],
  useAt: (start, end) => OF[reading.useAt(start, end)] as Taken,
  looksAt: (text) => reading.looksAt(text),
})
export const UNREAD = wrap(UNREAD_SCRIPT)
export const readShell = (text: string, language: ScriptLanguage, context: ScriptContext): ShellReading =>
  wrap(readScript(text, language, context))
