import type { Write } from './syntax/record.ts'
import type { Taken, Use } from './syntax/use.ts'

/** What a script does, read once for any number of anchors. */
export interface ShellReading {
  /** The strongest use of an anchor: a command, or a string. */
  useOf(anchor: string): Use
  /** What the text at [start, end) of the source is. */
  useAt(start: number, end: number): Taken
  /** Whether a command that only looks has the string among its words: where looking was asked for, that may be the act. */
  looksAt(text: string): boolean
  /** Files that the script runs, as it names them. */
  readonly runs: readonly string[]
  /** Words of commands that may run a file under another name: a module, a test, what code imports. */
  readonly mayRun: ReadonlySet<string>
  /** What the script writes into files, where its text is known. */
  readonly writes: readonly Write[]
  /** It is one simple command: where it failed, it was that which did. */
  readonly isOne: boolean
  /** Files that it did not write, whose text it runs or hands to a command that acts. */
  readonly takesFrom: readonly string[]
  /** False: reading it would take too long, or makes no sense; everything found in it is at best `unsure`. */
  readonly parsed: boolean
}
