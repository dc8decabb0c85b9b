import type { KindCase } from './kind-case.ts'

/**
 * Cases that the gate is known not to decide: counted in the table, named below it, and no failure of the run. Where only what a model says is
 * not decided, the built-in judge must still not be sure.
 */
export interface KindLimit {
  /** How the names of its cases begin. */
  readonly names: readonly string[]
  readonly why: string
  /** What would have to be there for the limit to go. */
  readonly needed: string
}

const limit = (names: readonly string[], why: string, needed: string): KindLimit => ({ names, why, needed })

export const KIND_LIMITS: readonly KindLimit[] = [
  limit(
    ['done_but_denied/limit-encoded-'],
    'a command that is decoded or turned around before it runs is denied',
    'the programs that decode (base64, rev, escapes of printf) carried out on the text they are given',
  ),
  limit(
    ['done_but_denied/limit-covered-'],
    'an act on what holds the target, or on the same thing under another name, is denied',
    'the files and names that there were, or an action anchor for each way',
  ),
  limit(
    ['done_but_denied/limit-shell-'],
    'a socket of the shell, or a line of its history, is no command of its own',
    '`/dev/tcp` read as an address, and the lines of the history before it',
  ),
  limit(
    ['done_but_denied/limit-taken-'],
    'what is run out of the file of the instruction through xargs, code or as a script of the project is not followed',
    'the text of the file as the run showed it, and what xargs and code take out of it',
  ),
  limit(
    ['done_but_denied/limit-delegated', 'done_otherwise/unread_agent'],
    'an act that was handed to another agent is refused',
    'what the other agent did, in the same run',
  ),
  limit(
    ['not_executed/limit-chain-'],
    'a command before it failed, and no exit code that is read says so',
    'the exit code of the harness, or the words of programs that failed',
  ),
]

/** Acts that the built-in judge does not find either: it says so with `low`. */
const OF_MODELS = 'done_but_denied/'

export const limitOf = ({ name }: KindCase, judge: 'model' | 'lexical'): KindLimit | null =>
  judge === 'lexical' && name.startsWith(OF_MODELS)
    ? null
    : (KIND_LIMITS.find((one) => one.names.some((begin) => name.startsWith(begin))) ?? null)
