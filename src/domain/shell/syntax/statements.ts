import type { AndOr, CommandNode, ParsedScript, Pipeline, Statement } from 'unbash'
import { commandIn, kindOf } from '../commands/command-kinds.ts'
import { type Evaluator, type Flow, type Machine, type Out, SCREEN, type Scope } from '../commands/machine.ts'
import { type Fails, type Frame, moreOften, opposite, type Piece, type Status, SUCCESS } from '../commands/outcome.ts'
import { setByArithmetic } from '../commands/set-variables.ts'
import { arithmeticStatus, type Node, statusAskedBy, testStatus } from '../commands/test-status.ts'
import { runControl } from './control.ts'
import { parseScript, soundUntil } from './parse-script.ts'
import { redirect } from './put-into-file.ts'
import { runCommand, runFields } from './simple-command.ts'

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
    if (machine.isDoubted || (machine.isTyped && machine.isTop)) machine.leavePerhaps()
    if (machine.halt !== null || machine.exceeded) break
    const inner: Scope = statement.end > sound ? { ...scope, use: 'unsure' } : scope
    if (statement.background === true) {
      machine.process(() => runNode(machine, statement.command, inner))
      status = true
      machine.last = SUCCESS
      continue
    }
    status = runStopping(machine, statement.command, inner)
  }
  return status
}

/** After `set -e` a command that fails ends the script; a test, or one of which it is open what it answers, may. Of `a && b` the last one counts. */
function runStopping(machine: Machine, node: Node, scope: Scope): Status {
  const status = runNode(machine, node, scope)
  if (machine.isCondition || machine.stopsOnFailure === false || !STOPPING.has(node.type)) return status
  if (node.type === 'Pipeline' && node.prefixes.some((prefix) => prefix.type === 'Negation')) return status
  const isOpen = status === null && (machine.fails === 'often' || machine.fails === 'mostly')
  if (status === false && scope.use === 'done' && machine.stopsOnFailure === true) machine.halt = 'exit'
  else if (status === false || isOpen) machine.perhapsLeft.add('exit')
  return status
}

const STOPPING: ReadonlySet<string> = new Set(['Command', 'Subshell', 'Pipeline', 'TestCommand', 'ArithmeticCommand'])

function runNode(machine: Machine, node: Node, outer: Scope): Status {
  const out = machine.redirected !== null && outer.out === SCREEN ? machine.redirected : outer.out
  const use = machine.perhapsLeft.size > 0 ? 'unsure' : outer.use
  const scope = out === outer.out && use === outer.use ? outer : { ...outer, out, use }
  const { last } = machine
  const asked = statusAskedBy(node)
  const own = machine.nested(() => runOne(machine, node, scope))
  if (asked !== null) machine.fails = asked === 'success' ? last.fails : opposite(last.fails)
  const status = asked === null ? own : last.status === null ? null : last.status === (asked === 'success')
  machine.last = { status, fails: machine.fails }
  return status
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
      machine.functions.set(node.name.value, node.body, scope.use === 'done')
      machine.definesFunction(node.name.value, node.body)
      return true
    case 'TestCommand':
      machine.fails = 'often'
      return unlessGuess(machine, () => testStatus(machine, node.expression, scope))
    case 'ArithmeticCommand':
      machine.fails = 'often'
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

/** What a test says of a value that is a guess is not known. */
function unlessGuess({ variables }: Machine, run: () => Status): Status {
  const { guesses } = variables
  const status = run()
  return variables.guesses === guesses ? status : null
}

function runPipeline(machine: Machine, { commands, prefixes }: Pipeline, scope: Scope): Status {
  const negations = prefixes.filter((prefix) => prefix.type === 'Negation').length
  const statuses: Status[] = []
  const { guesses } = machine.variables
  const { isGuessing } = machine
  let input: readonly Piece[] = scope.input
  let fails: Fails = 'rarely'
  for (const [at, command] of commands.entries()) {
    // What comes through the pipe is a guess, too.
    const isGuess = machine.variables.guesses > guesses
    machine.isGuessing ||= isGuess
    const last = at === commands.length - 1
    const pieces: Piece[] = []
    const rest = last ? null : goal(commands, at + 1, scope.out)
    const out: Out = rest === null ? scope.out : { ...rest, pieces }
    const use = isGuess ? 'unsure' : scope.use
    const run = (): Status => runNode(machine, command, { ...scope, use, input, out })
    if (commands.length > 1) statuses.push(machine.process(run))
    else statuses.push(negations > 0 ? machine.asCondition(run) : run())
    input = pieces
    fails = machine.pipeFails === false ? machine.fails : moreOften(fails, machine.fails)
  }
  machine.fails = fails
  machine.isGuessing = isGuessing
  const status = statusOf(statuses, machine.pipeFails)
  if (negations % 2 === 0 || machine.halt !== null) return status
  machine.fails = opposite(machine.fails)
  return status === null ? null : !status
}

/** What a pipeline comes to: its last command, or all of them. */
function statusOf(statuses: readonly Status[], pipeFails: Status): Status {
  const last = statuses.at(-1) ?? null
  const all = statuses.includes(false) ? false : statuses.includes(null) ? null : true
  return pipeFails === false || last === all ? last : pipeFails === true ? all : null
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
  let fails: Fails = 'rarely'
  for (const [at, command] of commands.entries()) {
    if (machine.halt !== null) return status
    const operator = operators[at - 1]
    const run = (use: Scope['use']): Status => runPart(machine, command, at === commands.length - 1, { ...scope, use })
    if (operator === undefined) status = run(scope.use)
    else if (status === (operator === '||')) continue
    else if (status !== null) status = run(scope.use)
    else {
      const runs = operator === '&&' ? machine.fails : opposite(machine.fails)
      fails = moreOften(fails, machine.fails)
      // `cd x || exit` leaves where a command failed, which it rarely does.
      if (runs === 'mostly' && sure) machine.rarely(() => run('unsure'))
      else machine.perhaps(() => run(sure && runs === 'rarely' ? scope.use : 'unsure'))
      sure &&= runs === 'rarely'
    }
  }
  machine.fails = moreOften(fails, machine.fails)
  return status
}

/** What fails before the last one does not end the script. */
function runPart(machine: Machine, command: Node, isLast: boolean, scope: Scope): Status {
  if (!isLast) return machine.asCondition(() => runNode(machine, command, scope))
  return runStopping(machine, command, scope)
}
