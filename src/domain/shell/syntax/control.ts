import type {
  ArithmeticExpression,
  ArithmeticFor,
  Case,
  CommandNode,
  CompoundList,
  For,
  If,
  Select,
  While,
  Word,
} from 'unbash'
import type { Machine, Scope } from '../commands/machine.ts'
import { type Fails, moreOften, type Status } from '../commands/outcome.ts'
import { expandToText, expandWord, TAKEN_OUTPUT, UNKNOWN_OUTPUT } from './expand.ts'

/** Loops are followed for so many values. */
const MOST_VALUES = 64

/** Conditions and loops. */
export function runControl(
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
      return repeat(machine, loopOf(machine, node.body), { ...scope, use: 'unsure' })
    case 'ArithmeticFor':
      if (node.initialize?.type === 'ArithmeticBinary') machine.variables.setUnknown(wordIn(node.initialize.left))
      return repeat(machine, loopOf(machine, node.body), runsBody(node) ? scope : { ...scope, use: 'unsure' })
  }
}

function runIf(machine: Machine, node: If, scope: Scope): Status {
  let sure = true
  let elseRuns: 'perhaps' | 'rarely' = 'perhaps'
  let fails: Fails = 'rarely'
  const take = (body: CompoundList, how: 'perhaps' | 'rarely'): void => {
    machine[how](() => machine.evaluate.node(machine, body, { ...scope, use: 'unsure' }))
    fails = moreOften(fails, machine.fails)
  }
  for (const { clause, then: body } of [node, ...node.elif]) {
    const status = condition(machine, clause, sure ? scope : { ...scope, use: 'unsure' })
    if (status === false) continue
    if (status === true && sure) return machine.evaluate.node(machine, body, scope)
    if (machine.fails === 'rarely') elseRuns = 'rarely'
    take(body, sure && machine.fails === 'mostly' ? 'rarely' : 'perhaps')
    sure = false
    if (status === true) return null
  }
  if (node.else !== undefined && sure) return machine.evaluate.node(machine, node.else, scope)
  if (node.else !== undefined) take(node.else, elseRuns)
  machine.fails = fails
  return null
}

const condition = (machine: Machine, clause: CompoundList, scope: Scope): Status =>
  machine.asCondition(() => machine.evaluate.node(machine, clause, scope))

function runFor(machine: Machine, { name, wordlist, body }: For, scope: Scope): Status {
  const { guesses } = machine.variables
  const values = wordlist === undefined ? machine.variables.get('@') : wordsOf(machine, wordlist, scope)
  const isSure = machine.variables.guesses === guesses && !maySayNothing(values ?? [])
  const inner: Scope = isSure ? scope : { ...scope, use: 'unsure' }
  const loop = loopOf(machine, body)
  for (const value of (values ?? []).slice(0, MOST_VALUES)) {
    machine.variables.set(name.value, [value], inner.use === 'done')
    const way = machine.leaving(['continue'], () => machine.perhaps(() => machine.evaluate.node(machine, body, inner)))
    if (machine.exceeded) return null
    if (way !== null && way !== 'continue') break
  }
  // Which of them was the last one is not known where the loop may have been left.
  if (machine.perhapsLeft.has('break')) machine.variables.doubt(name.value)
  if ((values ?? []).length > MOST_VALUES) machine.exceeded = true
  if (values?.some(mayBeMany)) return secondTurn(machine, loop, scope)
  // Words of which nothing is left: what was set elsewhere, or only perhaps, may be more than that.
  const isOpen = values === undefined || (values.length === 0 && wordlist?.length !== 0)
  if (isOpen) machine.variables.setUnknown(name.value)
  return isOpen ? repeat(machine, loop, { ...scope, use: 'unsure' }) : null
}

function wordsOf(machine: Machine, wordlist: readonly Word[], scope: Scope): readonly string[] {
  for (const word of wordlist) machine.paint(word.pos, word.end, 'told')
  return wordlist.flatMap((word) => expandWord(machine, word, scope, 'acted').map((field) => field.text))
}

function runWhile(machine: Machine, { kind, clause, body }: While, scope: Scope): Status {
  const loop = loopOf(machine, body, clause)
  const status = condition(machine, clause, scope)
  if (status === (kind === 'until')) return true
  return repeat(machine, loop, status === null ? { ...scope, use: 'unsure' } : scope)
}

/** What runs again, and how often something was set before it ran at all. */
interface Loop {
  readonly body: CompoundList
  readonly clause: CompoundList | null
  readonly variables: number
  readonly functions: number
}

const loopOf = ({ variables, functions }: Machine, body: CompoundList, clause: CompoundList | null = null): Loop => ({
  body,
  clause,
  variables: variables.count,
  functions: functions.count,
})

/** Runs a body that may run any number of times. */
function repeat(machine: Machine, loop: Loop, scope: Scope): null {
  const way = machine.perhaps(() => machine.evaluate.node(machine, loop.body, scope))
  return way === null || way === 'continue' ? secondTurn(machine, loop, scope) : null
}

/** What a body sets it may find when it runs again. In a second turn all of that is in doubt already. */
function secondTurn(machine: Machine, { body, clause, ...since }: Loop, scope: Scope): null {
  const { variables, functions } = machine
  const many = variables.count - since.variables + functions.count - since.functions
  if (machine.isSecondTurn || !machine.spend(1 + many, 0)) return null
  variables.doubtSince(since.variables)
  functions.doubtSince(since.functions)
  const again: Scope = { ...scope, use: 'unsure' }
  machine.isSecondTurn = true
  if (clause !== null) condition(machine, clause, again)
  machine.perhaps(() => machine.evaluate.node(machine, body, again))
  machine.isSecondTurn = false
  return null
}

/** A word of a loop that may stand for several. */
const mayBeMany = (value: string): boolean => /[$`*?[{]/u.test(value)

function runCase(machine: Machine, { word, items }: Case, scope: Scope): Status {
  const guesses = machine.variables.guesses
  const value = expandToText(machine, word, scope)
  const known = machine.variables.guesses === guesses && !value.includes('$') && !value.includes('`')
  let sure = true
  let fails: Fails = 'rarely'
  for (const item of items) {
    const patterns = item.pattern.map((one) => one.value)
    const literal = patterns.every((one) => !/[*?[$|(]/u.test(one))
    const hit = patterns.includes(value) || patterns.includes('*')
    if (known && literal && !hit) continue
    if (known && hit && sure) return machine.evaluate.node(machine, item.body, scope)
    sure = false
    machine.perhaps(() => machine.evaluate.node(machine, item.body, { ...scope, use: 'unsure' }))
    fails = moreOften(fails, machine.fails)
    if (known && hit) break
  }
  machine.fails = fails
  return null
}

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
