import type { Command, Word } from 'unbash'
import {
  commandIn,
  isDry,
  isFedBy,
  isSetting,
  kindOf,
  printsMore,
  useBehind,
  wrappersOf,
} from '../commands/command-kinds.ts'
import { INTERPRETERS, isCommandName, programOf, SHELLS } from '../commands/command-table.ts'
import { LEAVES_ALWAYS } from '../commands/flow-commands.ts'
import type { Field, Flow, FunctionBody, Machine, Scope } from '../commands/machine.ts'
import { type Fails, isDoubtful, isExact, type Status } from '../commands/outcome.ts'
import { runKind } from '../commands/run-kind.ts'
import { runFile, runInterpreter, runShell } from '../commands/run-program.ts'
import { declareAll, makeLocals, withArguments } from '../commands/set-variables.ts'
import { SPECIAL } from '../commands/special-commands.ts'
import { type Call, fieldsOf, mention, mentionAll, wordOf } from './call.ts'
import { assign, expandWord, UNKNOWN_OUTPUT } from './expand.ts'
import { redirect } from './put-into-file.ts'
import { type Taken, weakest } from './use.ts'
import { isUnknown, STANDS_FOR_MANY } from './word-match.ts'

export function runCommand(machine: Machine, command: Command, outer: Scope): Status {
  if (command.name === undefined) {
    const scope = redirect(machine, command.redirects, outer)
    machine.fails = 'rarely'
    machine.captured = true
    for (const one of setAll(machine, command, scope)) mention(machine, one, 'unsure', 'told')
    return machine.captured
  }
  const { name } = command
  const names = command.prefix.map((one) => (one.type === 'Assignment' ? one.name : ''))
  const run = (): Status => runNamed(machine, command, name, outer)
  return names.length === 0 ? run() : machine.variables.withLocals(names, run)
}

const setAll = (machine: Machine, { prefix }: Command, scope: Scope): Field[] =>
  prefix.flatMap((one) => (one.type === 'Assignment' ? [assign(machine, one, scope)] : []))

function runNamed(machine: Machine, command: Command, named: Word, outer: Scope): Status {
  const before = machine.variables.guesses
  const scope = redirect(machine, command.redirects, outer)
  const written = command.args.map((one) => (one.type === 'Assignment' ? one.name : one.text))
  const empty = command.args.flatMap((one) => (one.type === 'Word' ? [one.text] : []))
  makeLocals(machine, named.text, written, { use: scope.use, empty })
  const beforeName = machine.variables.guesses
  const name = expandWord(machine, named, scope, 'shown')
  const isOther = machine.variables.guesses > beforeName
  const flow = flowForArguments(machine, name, command)
  const own = [
    ...name,
    ...command.args.flatMap((one) =>
      one.type === 'Assignment' ? [assign(machine, one, scope)] : expandWord(machine, one, scope, flow),
    ),
  ]
  // What is set for the command is not yet so in its words.
  const fields = [...setAll(machine, command, scope), ...own]
  for (const one of command.prefix) if (one.type === 'Assignment') machine.variables.export(one.name ?? '')
  const words = fields.map(({ text }) => text)
  declareAll(machine, named.text, new Set(written), { words, scope })
  if (!machine.spend(1, 0)) return null
  if (machine.variables.guesses === before) return runFields(machine, fields, scope, outer)
  if (isOther) machine.record.addUnknown(words.slice(1))
  const { isGuessing } = machine
  machine.isGuessing = true
  const run = () => runFields(machine, fields, { ...scope, use: 'unsure' }, outer)
  const isSame = !isOther && staysItself(machine, command, named)
  const status = isSame ? run() : machine.doubting(run)
  // Another of its values may leave the script.
  if (!isSame && (machine.variables.mayLeave || named.text === 'exec')) machine.perhapsLeft.add('exit')
  machine.isGuessing = isGuessing
  if (isOther) machine.fails = 'often'
  return isOther || TESTS.has(named.text) ? null : status
}

const TESTS: ReadonlySet<string> = new Set(['[', 'test'])

/** Whether what it runs is the same, whatever its guessed arguments are; what a function makes of them is doubted there. */
function staysItself(machine: Machine, { args: [first] }: Command, { text }: Word): boolean {
  if (text === 'exec') return first === undefined || (first.type === 'Word' && isCommandName(first.text))
  return LEAVES_ALWAYS.has(text) || machine.functions.has(text)
}

/** What substitutions give to a command that acts is acted on; what they give to others is looked at. */
function flowForArguments(machine: Machine, name: readonly Field[], command: Command): Flow {
  const meant = commandIn([...name.map((field) => field.text), ...command.args.map((one) => one.text)])
  if (machine.functions.has(meant.name)) return 'acted'
  return kindOf(meant.name, meant.words) === 'does' ? 'acted' : 'shown'
}

/** Runs a command that is given by its words, behind wrappers, substitutions and redirections. */
export function runFields(machine: Machine, all: readonly Field[], scope: Scope, outer: Scope = scope): Status {
  const allWords = all.map((field) => field.text)
  const wrappers = wrappersOf(allWords)
  const before = wrappers.flat()
  const skipped = before.length
  const isFed = isFedBy(wrappers)
  if (before.includes('-m')) noteNames(machine, allWords)
  const fields = isFed ? fed(machine, all.slice(skipped), scope, before) : all.slice(skipped)
  const words = fields.map((field) => field.text)
  if (words[0] === undefined) return null
  for (const field of all.slice(0, skipped)) mention(machine, field, weakest('done', scope.use), 'told')
  const use = useBehind(
    wrappers,
    scope.input.some(({ text }) => /\S/u.test(text)) || (words.includes(':::') && words.at(-1) !== ':::'),
  )
  if (use === 'told') return mentionAll(machine, fields, 'told', 'told')
  const limit = isFed && isDoubtful(scope.input) ? 'unsure' : scope.use
  const call: Call = {
    ...{ name: programOf(words[0]), fields, words },
    scope: { ...scope, use: use === 'done' ? limit : 'unsure' },
  }
  const useFed = isFed ? weakest(useBehind(wrappers, true), limit) : call.scope.use
  const knows = wrappers.at(-1)?.[0] === 'parallel' ? 'exported' : before.every(isSetting) ? 'all' : 'none'
  const status = runCall(machine, call, useFed, knows)
  if (wrappers.some(([first]) => first === 'exec') || call.name === 'exec')
    replaceShell(machine, call, outer, skipped < allWords.length && call.name !== 'exec')
  return status
}

/** The words of a command that `xargs` or the like runs, with those that it reads. */
function fed(machine: Machine, fields: readonly Field[], { input }: Scope, wrapped: readonly string[]): Field[] {
  const known = input.flatMap((piece) => fieldsOf(piece))
  const more = isExact(input) ? [] : [wordOf(UNKNOWN_OUTPUT)]
  for (const { file } of input) if (file !== undefined) machine.record.takesFrom.add(file)
  // Alone `xargs` prints.
  const given = fields.length > 0 || wrapped.includes('parallel') ? fields : [wordOf('echo')]
  const place = placeIn(wrapped)
  return place === null
    ? [...given, ...known, ...more]
    : fillPlaces(machine, given, more.length > 0 ? more : known, place)
}

/** What `xargs` puts its input in place of: `-I{}`, `-I %`, `-i`. */
function placeIn(words: readonly string[]): string | null {
  const at = words.findIndex((word) => /^(?:-[0rtx]*I|-i$)/u.test(word))
  if (at === -1) return null
  const word = words[at] ?? ''
  return (word === '-i' ? '' : word.slice(word.indexOf('I') + 1) || words[at + 1]) || '{}'
}

function fillPlaces(machine: Machine, fields: readonly Field[], input: readonly Field[], place: string): Field[] {
  const text = input.map((field) => field.text).join(' ')
  if (text === '') return [...fields]
  return fields.map((field) => {
    const parts = field.text.split(place)
    if (parts.length === 1 || !machine.spend(0, (parts.length - 1) * text.length)) return field
    return { ...field, text: parts.join(text), verbatim: null }
  })
}

/** `exec command` ends the script; `exec > f` sends what follows to the file. */
function replaceShell(machine: Machine, call: Call, outer: Scope, replaces: boolean): void {
  if (replaces) machine.halt = 'exit'
  else if (call.scope.out !== outer.out) machine.redirected = call.scope.out
}

function howOftenFails(name: string, words: readonly string[]): Fails {
  if (TESTING.has(name)) return 'often'
  return kindOf(name, words) === 'searches' && !CERTAIN.has(name) ? 'sometimes' : 'rarely'
}

/** Commands that fail as often as not: after `set -e` the script may end with them. */
const TESTING: ReadonlySet<string> = new Set(
  '[ test grep egrep fgrep zgrep rg ag ack diff cmp which type command pgrep pidof expr let getopts shift read'.split(
    ' ',
  ),
)
/** They succeed. */
const CERTAIN: ReadonlySet<string> = new Set(['cd', 'sleep', 'true', ':', 'wait'])

function noteRan(machine: Machine, { name, words, scope }: Call, useFed: Taken, dry: boolean): void {
  const [first = '', ...rest] = words
  if (machine.isGuessing) machine.record.guess(name)
  if (isUnknown(first)) machine.record.addUnknown(STANDS_FOR_MANY.test(first) ? [] : rest)
  machine.record.addRan(name, {
    words,
    path: machine.pathOf(words[0] ?? ''),
    outputs: scope.out.paths,
    use: scope.use,
    useFed,
    dry,
  })
}

/** The functions of the script that what runs a command knows: a program none, GNU Parallel, which starts a shell, those that are exported. */
type Functions = 'all' | 'exported' | 'none'

function runCall(machine: Machine, call: Call, useFed: Taken, knows: Functions): Status {
  const { guesses } = machine.functions
  const body = knows === 'none' ? undefined : machine.functions.get(call.words[0] ?? '')
  if (body === undefined) return runProgram(machine, call, useFed)
  const isOther = machine.functions.guesses > guesses
  if (!isOther && knows === 'all') return callFunction(machine, call, body)
  const perhaps: Call = { ...call, scope: { ...call.scope, use: 'unsure' } }
  // Another one of that name may do anything.
  if (isOther) machine.record.addUnknown([])
  machine.doubting(() => callFunction(machine, perhaps, body))
  machine.doubting(() => runProgram(machine, perhaps, 'unsure'))
  machine.fails = 'often'
  return null
}

function runProgram(machine: Machine, call: Call, useFed: Taken): Status {
  const { name, words, fields } = call
  if (printsMore(name, words)) machine.emitUnknown(call.scope)
  const dry = isDry(name, words, machine.context.says)
  if (RUNNING.has(name) || Object.hasOwn(INTERPRETERS, name)) noteNames(machine, words)
  else if (!isCommandName(words[0] ?? '')) machine.record.runs.add(words[0] ?? '')
  noteRan(machine, call, useFed, dry)
  machine.fails = howOftenFails(name, words)
  if (dry) return mentionAll(machine, fields, 'told', 'told')
  const special = Object.hasOwn(SPECIAL, name) ? SPECIAL[name] : undefined
  if (special !== undefined) return special(machine, call)
  if (SHELLS.has(name)) return runShell(machine, call)
  if (Object.hasOwn(INTERPRETERS, name)) return runInterpreter(machine, call)
  if ((words[0] ?? '').includes('/')) machine.process(() => runFile(machine, words[0] ?? '', call, 1), 'exported')
  return runKind(machine, call)
}

/** Programs that run files under other names than these have. */
const RUNNING: ReadonlySet<string> = new Set(
  'pytest npx npm go cargo tsx ts-node java make jest vitest source .'.split(' '),
)

function noteNames(machine: Machine, words: readonly string[]): void {
  for (const word of words.slice(1))
    if (machine.spend(0, word.length))
      for (const name of word.split(/[^\w-]+/u)) if (name !== '') machine.record.mayRun.add(name)
}

function callFunction(machine: Machine, { words, fields, scope }: Call, body: FunctionBody): Status {
  mentionAll(machine, fields, 'unsure', 'told')
  const { loops } = machine
  machine.calls++
  machine.bodies++
  machine.loops = 0
  const run = (): Status => machine.deeper(() => machine.evaluate.node(machine, body, scope))
  const status = withArguments(machine, { words: words.slice(1), scope }, () => machine.leaving(['return'], run))
  machine.calls--
  machine.bodies--
  machine.loops = loops
  if (machine.halt === 'return') machine.halt = null
  return status
}
