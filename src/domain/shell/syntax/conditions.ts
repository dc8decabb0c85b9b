import type { AndOr, ArithmeticExpression, ArithmeticFor, CommandNode, CompoundList, Pipeline } from 'unbash'
import { commandIn, kindOf } from '../commands/command-kinds.ts'
import { TAKEN_OUTPUT, UNKNOWN_OUTPUT } from './expand.ts'

type Node = CommandNode | CompoundList | Pipeline | AndOr

/** Groups inside of groups that are looked into. */
const DEEPEST = 20

/** A command that only asks whether something is so: nobody knows what it answers. */
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

/** Values of a loop of which there may be none: the output of a command that nobody knows. */
export const maySayNothing = (values: readonly string[]): boolean =>
  values.length > 0 &&
  values.every(
    (value) =>
      value === UNKNOWN_OUTPUT || value === TAKEN_OUTPUT || /^\$(?:@|\*|\w+|\{\w+(?:\[[@*]\])?\})$/u.test(value),
  )

/** `for ((i = 0; i < 3; i++))` runs its body for sure. */
export function runsBody({ initialize, test }: ArithmeticFor): boolean {
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
