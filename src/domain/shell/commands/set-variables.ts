import { type Call, mentionAll } from '../syntax/call.ts'
import { TAKEN_OUTPUT, UNKNOWN_OUTPUT } from '../syntax/expand.ts'
import { isOption } from './command-table.ts'
import type { Machine, Scope } from './machine.ts'
import type { Status } from './outcome.ts'

/** `read` and `mapfile`: their words are a prompt and names; what comes in may be used by what follows. */
export function takeVariables(machine: Machine, { words, fields, scope }: Call): Status {
  for (const piece of scope.input) machine.record.say(piece.text, 'unsure', 'unsure')
  mentionAll(machine, fields, 'told', 'told')
  setUnknown(machine, words.slice(1), scope)
  const options = words.slice(1).filter((word) => isOption(word) && word !== '-r')
  return options.length === 0 && scope.input.some((piece) => piece.text.includes('\n')) ? true : null
}

/** They get a value that is not known; where it is not sure that this runs, what they have is a guess. */
export function setUnknown({ variables }: Machine, names: readonly string[], { use }: Scope): void {
  for (const name of names)
    if (use === 'done') variables.setUnknown(name)
    else variables.doubt(name)
}

/** A name without `-f` or `-v` is a function’s where there is no such variable. */
export function unset({ variables, functions }: Machine, { words, scope: { use } }: Call): void {
  for (const name of words.slice(1)) {
    const all = words[1] === '-f' || (words[1] !== '-v' && !variables.has(name)) ? functions : variables
    if (use === 'done') all.delete(name)
    else all.doubt(name)
  }
}

/** Those that `let x=1` and `getopts ab: x` name. */
export const setNamedUnknown = (machine: Machine, { words, scope }: Call): void =>
  setUnknown(
    machine,
    words.slice(1).map((word) => word.split(/\W/u, 1)[0] ?? ''),
    scope,
  )

const POSITIONAL = ['@', '*', ...'123456789']

/** `shift`, `shift 2`. */
export function shiftArguments(machine: Machine, { words, scope }: Call): void {
  const { guesses } = machine.variables
  const all = machine.variables.get('@')
  const count = words[1] ?? '1'
  if (all === undefined || machine.variables.guesses > guesses || !/^\d$/u.test(count))
    setUnknown(machine, POSITIONAL, scope)
  else if (Number(count) <= all.length) setArguments(machine, all.slice(Number(count)), scope)
}

/** They make variables of the function that runs. */
const LOCAL: ReadonlySet<string> = new Set(['local', 'declare', 'typeset'])
const DECLARING: ReadonlySet<string> = new Set([...LOCAL, 'export', 'readonly'])

/** Takes the names for those of the function that runs; `-g` does not. What `local x` gives no value has none. */
export function makeLocals(
  machine: Machine,
  program: string,
  names: readonly string[],
  { use, empty }: { readonly use: Scope['use']; readonly empty: readonly string[] },
): void {
  if (machine.bodies === 0 || !LOCAL.has(program) || names.includes('-g')) return
  if (!machine.spend(0, names.length * COST_OF_NAME)) return
  for (const name of names) machine.variables.makeLocal(name)
  if (program === 'local') for (const name of empty) machine.variables[use === 'done' ? 'delete' : 'doubt'](name)
}

const COST_OF_NAME = 20

/** Sets those whose names are made by an expansion, not those that are `written` there, and exports. */
export function declareAll(
  machine: Machine,
  program: string,
  written: ReadonlySet<string>,
  { words, scope }: Pick<Call, 'words' | 'scope'>,
): void {
  if (!DECLARING.has(program)) return
  const { variables, functions } = machine
  const exported = words.includes('-f') ? functions : variables
  const isExport = program === 'export' || words.includes('-x')
  const isGlobal = words.includes('-g')
  for (const word of words) {
    const at = word.indexOf('=')
    const name = at === -1 ? word : word.slice(0, at)
    if (at > 0 && !written.has(name)) {
      if (!isGlobal) makeLocals(machine, program, [name], { use: scope.use, empty: [] })
      variables.set(name, [word.slice(at + 1)], scope.use === 'done')
    }
    if (isExport) exported.export(name)
  }
}

/** What runs with these arguments, and gives them back. */
export const withArguments = <T>(machine: Machine, { words, scope }: Pick<Call, 'words' | 'scope'>, run: () => T): T =>
  machine.variables.withLocals(POSITIONAL, () => {
    setArguments(machine, words, scope)
    return run()
  })

/** `set -- a b`. */
export function setArguments({ variables }: Machine, words: readonly string[], { use }: Scope): void {
  for (const name of POSITIONAL) variables.delete(name)
  for (const name of ['@', '*']) variables.set(name, words, use === 'done')
  for (const [at, word] of words.slice(0, 9).entries()) variables.set(String(at + 1), [word], use === 'done')
}

/** `((x = 1))`, `((x++))`. */
export function setByArithmetic(machine: Machine, body: string): void {
  if (!/[^=!<>]=[^=]|\+\+|--/u.test(body)) return
  for (const name of body.split(/\W+/u)) machine.variables.doubt(name)
}

/** Files that set how programs are found and shown, and nothing that a script decides by. */
const HARMLESS = /(?:^|\/)(?:activate|\.bashrc|\.profile|\.bash_profile|\.zshrc|nvm\.sh|conda\.sh|\.cargo\/env)$/u

/** A file that is read as a part of the script may set any variable, unless it is known what it does. */
export function takeFile(machine: Machine, path: string): void {
  if (machine.files.get(path) === undefined && !HARMLESS.test(path)) machine.variables.doubtAll()
}

/** The same of text that is made by commands. */
export function takeText(machine: Machine, text: string): void {
  if (text.includes(UNKNOWN_OUTPUT) || text.includes(TAKEN_OUTPUT)) machine.variables.doubtAll()
}
