import type { Writable } from 'node:stream'
import type { TrialItem } from '../../archives/trials/trial-item.ts'
import type { ReadLimits } from '../../archives/unpack/limits.ts'
import type { Client } from './client.ts'

/** A service to talk to: one that runs elsewhere, or one inside of this process that ends with it and that no other process reaches. */
export interface ServiceConnection {
  readonly client: Client
  readonly url: string
  readonly embedded: boolean
  /** What it accepts of a trajectory; null: not known before it is asked. */
  readonly limits: ReadLimits | null
  /** ` --server URL` where the next command needs it too. */
  readonly flag: string
  /** One in this process lets what is in flight end, then closes; the state stays in the database. */
  close(): Promise<void>
}

/**
 * What a command does with the database: makes it where there is none, reads what must be there, or needs none at all. A dry run (`look`,
 * `look_any`) never migrates it: it needs one of this version, or does without.
 */
export type DatabaseUse = 'make' | 'read' | 'look' | 'look_any' | 'none'

/** Starts one. It leaves alone what earlier processes left: a command says which batch goes on. */
type StartEmbedded = (env: NodeJS.ProcessEnv, use: DatabaseUse) => Promise<ServiceConnection>

export interface TrialSourceOptions {
  /** A file of ground truths. */
  readonly ground_truth?: string
  /** Where signals stand in a trial, as typed. */
  readonly signals: readonly string[]
  /** The `variant` of every trial. */
  readonly variant?: string
  /** The rubric that the trials are for. */
  readonly rubric?: string
  /** Ends the reading. */
  readonly abort: AbortSignal
  /** What is accepted of a trajectory. */
  readonly limits?: ReadLimits
  /** Hears, at the end, of places for signals at which most trials had nothing. */
  readonly onMissing?: (text: string) => void
}

/** Reads what can be graded, one trial at a time. Throws `CliError` where paths or options cannot be used. */
type ReadTrials = (paths: readonly string[], options: TrialSourceOptions) => AsyncIterable<TrialItem>

/** A stream that may be a terminal. */
export type Screen = Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number }

/** What asks a command to stop: Ctrl-C, a supervisor, a terminal that closes. */
export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP'

/** Where signals come from: the process, or what a test puts in its place. */
interface Signals {
  on(signal: StopSignal, listener: () => void): unknown
  off(signal: StopSignal, listener: () => void): unknown
}

/** Everything that a command takes from the process that it runs in. */
export interface Shell {
  readonly env: NodeJS.ProcessEnv
  /** What was typed after `veridict`. */
  readonly args: readonly string[]
  readonly cwd: string
  /** How this process was started, where that is not `veridict`. */
  readonly program?: string
  readonly out: Screen
  readonly err: Screen
  readonly signals: Signals
  readonly startEmbedded: StartEmbedded
  readonly readTrials: ReadTrials
  /** Throws `CliError` where one of the paths is not there. */
  readonly checkPaths?: (paths: readonly string[]) => Promise<void>
  /** The code that the process ends with, once it has nothing left to do. */
  setExitCode(code: number): void
  /** Ends the process at once. */
  exit(code: number): void
}

/** Renders the typed command again, quoted for a POSIX shell. */
export const commandLine = (shell: Shell): string => [shell.program ?? 'veridict', ...shell.args.map(quote)].join(' ')

const PLAIN = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=@%+,'

/** Quotes a word for a POSIX shell. */
export function quote(arg: string): string {
  if (arg !== '' && [...arg].every((c) => PLAIN.includes(c))) return arg
  return `'${arg.replaceAll("'", `'\\''`)}'`
}
