import type { AndOr, CommandNode, CompoundList, Pipeline, TestExpression } from 'unbash'
import { expandToText } from '../syntax/expand.ts'
import type { Machine, Scope } from './machine.ts'
import type { Status } from './outcome.ts'

export type Node = CommandNode | CompoundList | Pipeline | AndOr

/** What `[[ … ]]` gives where the script alone decides it. */
export function testStatus(machine: Machine, expression: TestExpression, scope: Scope): Status {
  switch (expression.type) {
    case 'TestBinary': {
      const left = expandToText(machine, expression.left, scope)
      const right = expandToText(machine, expression.right, scope)
      machine.record.say(`${left} ${right}`, 'told', 'told')
      return compare(left, expression.operator, right)
    }
    case 'TestUnary':
      return unary(expression.operator, expandToText(machine, expression.operand, scope))
    case 'TestGroup':
      return machine.nested(() => testStatus(machine, expression.expression, scope))
    case 'TestNot': {
      const status = machine.nested(() => testStatus(machine, expression.operand, scope))
      return status === null || expression.negations.length % 2 === 0 ? status : !status
    }
    default: {
      const all = machine.nested(() => {
        const found = expression.operands.map((one) => testStatus(machine, one, scope))
        const deciding = expression.operator === '||'
        if (found.includes(deciding)) return deciding
        return found.includes(null) ? null : !deciding
      })
      return all
    }
  }
}

/** Whether a test asks by `$?` if the command before it succeeded, or if it failed. */
export function statusAskedBy(node: Node): 'success' | 'failure' | null {
  const [left = '', operator = '', right, ...more] = wordsOfTest(node)
  if (right !== '0' || more.length > 0 || !/^"?\$\?"?$/u.test(left)) return null
  if (['-eq', '=', '=='].includes(operator)) return 'success'
  return ['-ne', '!=', '-gt'].includes(operator) ? 'failure' : null
}

function wordsOfTest(node: Node): readonly string[] {
  if (node.type === 'TestCommand') {
    const { expression } = node
    return expression.type === 'TestBinary' ? [expression.left.text, expression.operator, expression.right.text] : []
  }
  if (node.type !== 'Command') return []
  const words = node.args.map((one) => one.text)
  return node.name?.text === '[' ? words.slice(0, -1) : node.name?.text === 'test' ? words : []
}

/** The same for `test` and `[`. */
export function testWordsStatus(words: readonly string[]): Status {
  const inner = words[0] === '[' && words.at(-1) === ']' ? words.slice(1, -1) : words.slice(1)
  const negated = inner[0] === '!'
  const [first = '', second, third] = negated ? inner.slice(1) : inner
  const count = inner.length - (negated ? 1 : 0)
  let status: Status
  if (count === 3) status = compare(first, second ?? '', third ?? '')
  // An unquoted variable that is empty is no word: `[ $x = yes ]` is an error then.
  else if (count === 2) status = !negated && /^[!=]?=$/u.test(first) ? false : unary(first, second ?? '')
  else if (count === 1) status = isKnown(first) ? first !== '' : null
  else status = count === 0 ? false : null
  return negated && status !== null ? !status : status
}

export const arithmeticStatus = (body: string): Status => {
  const text = body.trim()
  return /^\d{1,9}$/u.test(text) ? Number(text) !== 0 : null
}

const isKnown = (text: string): boolean => !/[$`*?[{]/u.test(text)
const isNumber = (text: string): boolean => /^-?\d{1,15}$/u.test(text)

function unary(operator: string, operand: string): Status {
  if (!isKnown(operand)) return null
  if (operator === '-z') return operand === ''
  return operator === '-n' ? operand !== '' : null
}

function compare(left: string, operator: string, right: string): Status {
  if (!isKnown(left) || !isKnown(right)) return null
  if (operator === '=' || operator === '==') return left === right
  if (operator === '!=') return left !== right
  if (!isNumber(left) || !isNumber(right)) return null
  const [a, b] = [Number(left), Number(right)]
  const results: Readonly<Record<string, boolean>> = {
    '-eq': a === b,
    '-ne': a !== b,
    '-lt': a < b,
    '-le': a <= b,
    '-gt': a > b,
    '-ge': a >= b,
  }
  return results[operator] ?? null
}
