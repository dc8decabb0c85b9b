import {
  type ArgumentKind,
  type Meaning,
  meaningOf,
  meaningOfKind,
  type OpenCall,
  type ToolSpec,
} from '../tools/tool-table.ts'
import { wordsOfArgv } from './argv.ts'
import { type Leaf, leavesOf } from './json-tree.ts'
import { isRecord, pointer } from './reading.ts'

/** One argument of a call, or one piece of it. */
export interface ArgumentLeaf extends Leaf {
  /** What it is, where its name does not tell. */
  readonly kind?: ArgumentKind
}

/**
 * The leaves of a call's arguments. A command that is an array of words is one part, as JSON, because only all of its words say what
 * was done; where it is a shell that is given a script, each word is one.
 */
export function argumentLeavesOf(spec: ToolSpec | undefined, args: unknown, path: string): readonly ArgumentLeaf[] {
  if (!isRecord(args) || spec === undefined) return leavesOf(args, path)
  const leaves = leavesOf(args, path)
  const arrays = new Map(
    Object.keys(args).flatMap((key) => {
      const command = isCommand(spec, key) ? commandOf(args[key], pointer(path, key), key) : null
      return command === null ? [] : [[pointer(path, key), command] as const]
    }),
  )
  if (arrays.size === 0) return leaves
  const told = new Set<string>()
  return leaves.flatMap((leaf): readonly ArgumentLeaf[] => {
    const end = leaf.pointer.lastIndexOf('/')
    const at = arrays.has(leaf.pointer) ? leaf.pointer : leaf.pointer.slice(0, end)
    const command = arrays.get(at)
    if (command === undefined) return [leaf]
    if (told.has(at)) return []
    told.add(at)
    return command
  })
}

/** What one leaf is. */
export const meaningOfLeaf = (
  spec: ToolSpec | undefined,
  leaf: ArgumentLeaf,
  call: OpenCall,
  args: unknown,
): Meaning => (leaf.kind === undefined ? meaningOf(spec, leaf.name, call, args) : meaningOfKind(leaf.kind, null, call))

const isCommand = (spec: ToolSpec, name: string): boolean =>
  Object.hasOwn(spec.args, name) && (spec.args[name] === 'argv' || spec.args[name] === 'shell')

/**
 * The parts of a command that is an array: one for each word where a shell runs one of them, else the whole array as JSON, because
 * only all of its words say what was done.
 */
export function commandOf(value: unknown, path: string, name: string): readonly ArgumentLeaf[] | null {
  if (!Array.isArray(value) || value.length === 0 || !value.every((word) => typeof word === 'string')) return null
  const words = wordsOfArgv(value)
  if (words === null) return [{ pointer: path, name, text: JSON.stringify(value), kind: 'argv' }]
  return words.map(({ text, kind }, index) => ({
    pointer: pointer(path, index),
    name: name === '' ? String(index) : `${name}.${index}`,
    text,
    kind,
  }))
}
