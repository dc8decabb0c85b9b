import type {
  AndOr,
  ArithmeticExpression,
  ArithmeticFor,
  Case,
  CommandNode,
  CompoundList,
  For,
  If,
  ParsedScript,
  Pipeline,
  Select,
  Statement,
  While,
} from 'unbash'
import { commandIn, kindOf } from '../commands/command-kinds.ts'
import {
  type Evaluator,
  type Flow,
  type Frame,
  type Halt,
  type Machine,
  type Out,
  type Piece,
  SCREEN,
  type Scope,
  type Status,
} from '../commands/machine.ts'
import { setByArithmetic } from '../commands/set-variables.ts'
import { arithmeticStatus, testStatus } from '../commands/test-status.ts'
import { expandToText, expandWord, TAKEN_OUTPUT, UNKNOWN_OUTPUT } from './expand.ts'
import { parseScript, soundUntil } from './parse-script.ts'
import { redirect } from './put-into-file.ts'
import { runCommand, runFields } from './simple-command.ts'

/** Loops are followed for so many values. */
const MOST_VALUES = 64

type Node = CommandNode | CompoundList | Pipeline | AndOr

export const evaluator: Evaluator = { script: runScript, node: runNode, text: runText, fields: runFields }

function runText(machine: Machine, text: string, frame: Frame, scope: Scope): Status {
  if (!machine.spend(1, text.length)) return null
  const script = parseScript(text)
  if (script === null) {
    machine.exceeded = true
    return null
  }
  return machine.within(frame, () => runScript(machine, script, scope))
}

/** What stands behind the first error may be something else than it seems. */
function runScript(machine: Machine, script: ParsedScript, scope: Scope): Status {
  const sound = soundUntil(script)
  if (sound !== Number.POSITIVE_INFINITY) machine.broken = true
  return runList(machine, script.commands, scope, sound)
}

function runList(
  machine: Machine,
  statements: readonly Statement[],
  scope: Scope,
  sound = Number.POSITIVE_INFINITY,
): Status {
  let status: Status = null
  for (const statement of statements) {
    if (machine.halt !== null && machine.isTyped && machine.isTop) {
      machine.halt = null
      machine.perhapsLeft.add('exit')
    }
    if (machine.halt !== null || machine.exceeded) break
    status = runNode(machine, statement.command, statement.end > sound ? { ...scope, use: 'unsure' } : scope)
    const simple = statement.command.type === 'Command' || statement.command.type === 'Subshell'
    if (status === false && simple && machine.stopsOnFailure && scope.use === 'done') machine.halt = 'exit'
  }
  return status
}

function runNode(machine: Machine, node: Node, outer: Scope): Status {
  const out = machine.redirected !== null && outer.out === SCREEN ? machine.redirected : outer.out
  const use = machine.perhapsLeft.size > 0 ? 'unsure' : outer.use
  const scope = out === outer.out && use === outer.use ? outer : { ...outer, out, use }
  return machine.nested(() => runOne(machine, node, scope))
}

function runOne(machine: Machine, node: Node, scope: Scope): Status {
  switch (node.type) {
    case 'Command':
      return runCommand(machine, node, scope)
    case 'Pipeline':
      return runPipeline(machine, node, scope)
    case 'AndOr':
      return runAndOr(machine, node, scope)
    case 'CompoundList':
      return runList(machine, node.commands, scope)
    case 'BraceGroup':
      return runList(machine, node.body.commands, scope)
    case 'Subshell':
      return machine.process(() => runList(machine, node.body.commands, scope))
    case 'Redirected':
      return runNode(machine, node.command, redirect(machine, node.redirects, scope))
    case 'Coproc':
      return machine.process(() => runNode(machine, node.body, scope))
    case 'Function':
      machine.functions.set(node.name.value, node.body)
      if (scope.use === 'done') machine.doubtfulFunctions.delete(node.name.value)
      else machine.doubtfulFunctions.add(node.name.value)
      machine.definesFunction(node.name.value, node.body)
      return true
    case 'TestCommand':
      return unlessGuess(machine, () => testStatus(machine, node.expression, scope))
    case 'ArithmeticCommand':
      setByArithmetic(machine, node.body)
      return arithmeticStatus(node.body)
    case 'If':
    case 'Case':
      return runControl(machine, node, scope)
    default: {
      machine.loops++
      const status = machine.leaving(['break', 'continue'], () => runControl(machine, node, scope))
      machine.loops--
      return status
    }
  }
}

function runControl(
  machine: Machine,
  node: If | For | While | Case | Select | Extract<CommandNode, { type: 'ArithmeticFor' }>,
  scope: Scope,
): Status {
  switch (node.type) {
    case 'If':
      return runIf(machine, node, scope)
    case 'For':
      return runFor(machine, node, scope)
    case 'While':
      return runWhile(machine, node, scope)
    case 'Case':
      return runCase(machine, node, scope)
    case 'Select':
      perhaps(machine, () => runList(machine, node.body.commands, { ...scope, use: 'unsure' }))
      return null
    case 'ArithmeticFor':
      perhaps(machine, () => runList(machine, node.body.commands, runsBody(node) ? scope : { ...scope, use: 'unsure' }))
      return null
  }
}

/** What a test says of a value that is a guess is not known. */
function unlessGuess({ variables }: Machine, run: () => Status): Status {
  const before = variables.guesses
  const status = run()
  return variables.guesses === before ? status : null
}

/** Runs what rarely runs: how it would leave counts for nothing. Answers that way. */
function unlikely(machine: Machine, run: () => Status): Halt | null {
  const { halt, stopsOnFailure } = machine
  run()
  const way = machine.halt
  machine.halt = halt
  machine.stopsOnFailure = stopsOnFailure
  return way
}

/** What may not run cannot leave the script or the loop for sure: where it would, it is not known whether what follows runs. */
function perhaps(machine: Machine, run: () => Status): Halt | null {
  const way = unlikely(machine, run)
  if (way !== null) machine.perhapsLeft.add(way)
  return way
}

function runPipeline(machine: Machine, { commands, prefixes }: Pipeline, scope: Scope): Status {
  let input: readonly Piece[] = scope.input
  let status: Status = null
  for (const [at, command] of commands.entries()) {
    const last = at === commands.length - 1
    const pieces: Piece[] = []
    const rest = last ? null : goal(commands, at + 1, scope.out)
    const out: Out = rest === null ? scope.out : { ...rest, pieces }
    const run = (): Status => runNode(machine, command, { ...scope, input, out })
    status = commands.length > 1 ? machine.process(run) : run()
    input = pieces
  }
  const negated = prefixes.some((prefix) => prefix.type === 'Negation')
  return negated && status !== null ? !status : status
}

/** Where the output of a stage goes in the end: programs that only show pass it on. */
function goal(commands: readonly CommandNode[], from: number, out: Out): { flow: Flow; paths: readonly string[] } {
  for (const command of commands.slice(from, from + 20)) {
    if (command.type !== 'Command') return { flow: 'acted', paths: [] }
    const { name, words } = commandIn([command.name?.text ?? '', ...command.args.map((one) => one.text)])
    if (name === 'tee') return { flow: 'kept', paths: words.slice(1).filter((word) => !word.startsWith('-')) }
    const kind = kindOf(name, words)
    if (kind === 'does') return { flow: 'acted', paths: [] }
    if (kind !== 'copies') return { flow: 'shown', paths: [] }
    const kept = command.redirects.find((one) => one.type === 'Redirect' && one.operator.includes('>'))
    if (kept?.type === 'Redirect' && kept.target !== undefined) return { flow: 'kept', paths: [kept.target.value] }
  }
  return { flow: out.flow, paths: out.paths }
}

function runAndOr(machine: Machine, { commands, operators }: AndOr, scope: Scope): Status {
  let status: Status = null
  let sure = true
  for (const [at, command] of commands.entries()) {
    const operator = operators[at - 1]
    if (machine.halt !== null) return status
    if (operator === undefined) status = runNode(machine, command, scope)
    else if (status === (operator === '||')) continue
    else if (status === null) {
      const isAsked = asks(commands[at - 1])
      const use = sure && operator === '&&' && !isAsked ? scope.use : 'unsure'
      const run = () => runNode(machine, command, { ...scope, use })
      // `cd x || exit` leaves where a command failed, which it rarely does.
      if (operator === '||' && sure && !isAsked) unlikely(machine, run)
      else perhaps(machine, run)
      status = null
      sure &&= operator === '&&' && !isAsked
    } else status = runNode(machine, command, scope)
  }
  return status
}

function runIf(machine: Machine, node: If, scope: Scope): Status {
  let sure = true
  for (const branch of [node, ...node.elif]) {
    const { clause } = branch
    const body = branch.then.commands
    const status = condition(machine, clause, sure ? scope : { ...scope, use: 'unsure' })
    if (status === false) continue
    if (status === true && sure) return runList(machine, body, scope)
    sure = false
    perhaps(machine, () => runList(machine, body, { ...scope, use: 'unsure' }))
    if (status === true) return null
  }
  if (node.else === undefined) return null
  if (sure) return runList(machine, node.else.commands, scope)
  perhaps(machine, () => runList(machine, node.else?.commands ?? [], { ...scope, use: 'unsure' }))
  return null
}

/** A condition that fails does not end the script. */
function condition(machine: Machine, clause: CompoundList, scope: Scope): Status {
  const stops = machine.stopsOnFailure
  machine.stopsOnFailure = false
  const status = runList(machine, clause.commands, scope)
  machine.stopsOnFailure = stops
  return status
}

function runFor(machine: Machine, { name, wordlist, body }: For, scope: Scope): Status {
  const guesses = machine.variables.guesses
  const values =
    wordlist === undefined
      ? machine.variables.get('@')
      : wordlist.flatMap((word) => expandWord(machine, word, scope, 'acted').map((field) => field.text))
  if (wordlist !== undefined) for (const word of wordlist) machine.paint(word.pos, word.end, 'told')
  const isGuess = machine.variables.guesses > guesses
  machine.variables.delete(name.value)
  const inner: Scope = isGuess || maySayNothing(values ?? []) ? { ...scope, use: 'unsure' } : scope
  for (const value of (values ?? []).slice(0, MOST_VALUES)) {
    machine.variables.set(name.value, [value], inner.use === 'done')
    const way = machine.leaving(['continue'], () => perhaps(machine, () => runList(machine, body.commands, inner)))
    if (machine.exceeded) return null
    if (way !== null && way !== 'continue') break
  }
  // Which of them was the last one is not known where the loop may have been left.
  if (machine.perhapsLeft.has('break')) machine.variables.doubt(name.value)
  if ((values ?? []).length > MOST_VALUES) machine.exceeded = true
  // Words of which nothing is left: what was set elsewhere, or only perhaps, may be more than that.
  if (values === undefined || (values.length === 0 && wordlist?.length !== 0))
    perhaps(machine, () => runList(machine, body.commands, { ...scope, use: 'unsure' }))
  return null
}

function runWhile(machine: Machine, { kind, clause, body }: While, scope: Scope): Status {
  const status = condition(machine, clause, scope)
  if (status === (kind === 'until')) return true
  const inner: Scope = status === null ? { ...scope, use: 'unsure' } : scope
  perhaps(machine, () => runList(machine, body.commands, inner))
  return null
}

function runCase(machine: Machine, { word, items }: Case, scope: Scope): Status {
  const guesses = machine.variables.guesses
  const value = expandToText(machine, word, scope)
  const known = machine.variables.guesses === guesses && !value.includes('$') && !value.includes('`')
  let sure = true
  for (const item of items) {
    const patterns = item.pattern.map((one) => one.value)
    const literal = patterns.every((one) => !/[*?[$|(]/u.test(one))
    const hit = patterns.includes(value) || patterns.includes('*')
    if (known && literal && !hit) continue
    if (known && hit && sure) return runList(machine, item.body.commands, scope)
    sure = false
    perhaps(machine, () => runList(machine, item.body.commands, { ...scope, use: 'unsure' }))
    if (known && hit) return null
  }
  return null
}

/** Groups inside of groups that are looked into. */
const DEEPEST = 20

/** A command that only asks whether something is so: what it answers is not known. */
export function asks(node: Node | undefined, depth = 0): boolean {
  if (node === undefined || depth > DEEPEST) return depth > DEEPEST
  switch (node.type) {
    case 'TestCommand':
    case 'ArithmeticCommand':
      return true
    case 'Pipeline':
    case 'AndOr':
      return asks(node.commands.at(-1), depth + 1)
    case 'CompoundList':
      return asks(node.commands.at(-1)?.command, depth + 1)
    case 'BraceGroup':
    case 'Subshell':
      return asks(node.body, depth + 1)
    case 'Redirected':
      return asks(node.command, depth + 1)
    case 'Command': {
      const { name, words } = commandIn([node.name?.text ?? '', ...node.args.map((one) => one.text)])
      return kindOf(name, words) === 'searches' && !CERTAIN.has(name)
    }
    default:
      return false
  }
}

/** They succeed. */
const CERTAIN: ReadonlySet<string> = new Set(['cd', 'sleep', 'true', ':', 'wait'])

/** Values of a loop of which there may be none: the output of an unknown command. */
const maySayNothing = (values: readonly string[]): boolean =>
  values.length > 0 &&
  values.every(
    (value) =>
      value === UNKNOWN_OUTPUT || value === TAKEN_OUTPUT || /^\$(?:@|\*|\w+|\{\w+(?:\[[@*]\])?\})$/u.test(value),
  )

/** `for ((i = 0; i < 3; i++))` runs its body for sure. */
function runsBody({ initialize, test }: ArithmeticFor): boolean {
  if (test === undefined) return true
  if (initialize?.type !== 'ArithmeticBinary' || test.type !== 'ArithmeticBinary') return false
  const start = numberIn(initialize.right)
  const limit = numberIn(test.right)
  if (initialize.operator !== '=' || wordIn(initialize.left) !== wordIn(test.left)) return false
  return test.operator === '<' ? start < limit : test.operator === '<=' && start <= limit
}

const wordIn = (node: ArithmeticExpression): string => (node.type === 'ArithmeticWord' ? node.value : '')
const numberIn = (node: ArithmeticExpression): number =>
  /^\d{1,9}$/u.test(wordIn(node)) ? Number(wordIn(node)) : Number.NaN
