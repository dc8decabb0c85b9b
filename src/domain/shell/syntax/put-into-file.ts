import { baseName } from '../../acts/mentions.ts'
import type { Machine, Status } from '../commands/machine.ts'
import { patchWrites } from '../commands/patch-writes.ts'
import { type Call, mentionAll } from './call.ts'
import { within } from './record.ts'

/** Commands that put their input into a file, instead of what it held. */
export function takeInto(machine: Machine, { name, words, fields, scope }: Call, path: string | null): Status {
  mentionAll(machine, fields, within('done', scope.use), 'told')
  const adds = name === 'dd' ? words.some((word) => /notrunc|append/u.test(word)) : words.includes('-a')
  if (path !== null && !adds) machine.files.replace(path, scope.use)
  for (const piece of scope.input) machine.write(path, piece, scope.use)
  return null
}

/** `cp`, `mv`, `ln`: a file that this script wrote is also its copy; what another file held, nobody knows. */
export function copyFiles(machine: Machine, call: Call): Call {
  const { name, words, scope } = call
  const paths = words.slice(1).filter((word) => !word.startsWith('-'))
  const to = paths.at(-1)
  if (to === undefined || paths.length < 2) return call
  const isFolder = to.endsWith('/') || to === '.' || to === '..' || paths.length > 2
  for (const from of paths.slice(0, -1)) {
    const target = isFolder ? `${to}/${baseName(from)}` : to
    const pieces = [...(machine.files.get(from) ?? [])]
    const isKnown = machine.files.get(from) !== undefined
    const doubtful =
      machine.files.isDoubtful(from) || words.some((word) => /^-(?:[a-z]*[nu]|-update|-no-clobber)/u.test(word))
    if (isKnown) machine.files.replace(target, scope.use)
    else machine.files.forget(target, scope.use)
    for (const piece of pieces) machine.write(target, piece, scope.use)
    if (doubtful) machine.files.doubt(target)
    if (name === 'mv') machine.files.forget(from, scope.use)
  }
  return call
}

/** `rm`: what was written is gone. */
export function removeFiles(machine: Machine, { words, scope }: Call): void {
  for (const word of words.slice(1)) {
    if (word.startsWith('-')) continue
    machine.files.forget(word, scope.use)
    if (!machine.spend(0, machine.files.size)) return
    const pattern = word.search(/[*?[]/u)
    if (pattern !== -1) for (const path of machine.files.among(word.slice(0, pattern))) machine.files.doubt(path)
    else for (const path of [...machine.files.among(`${word}/`)]) machine.files.forget(path, scope.use)
  }
}

export const readsInput = (words: readonly string[]): boolean =>
  words.some((word) => word === '/dev/stdin' || word === '-')

/** Places of the scripts among the words of sed: behind `-e`, else the first that is no option. */
export function sedScripts(words: readonly string[]): number[] {
  const marked = words.flatMap((word, at) => (word === '-e' || word === '--expression' ? [at + 1] : []))
  if (marked.length > 0) return marked
  const first = words.findIndex((word, at) => at > 0 && !word.startsWith('-') && word !== '')
  return first === -1 ? [] : [first]
}

/** What a patch adds is written, what it takes away is not. */
export function applyPatch(machine: Machine, { fields, words, scope }: Call): Status {
  mentionAll(machine, fields.slice(0, 1), within('done', scope.use), 'told')
  const given = words[0] === 'apply_patch' ? fields.slice(1) : []
  if (words.includes('-R') || words.includes('--reverse')) return mentionAll(machine, given, 'unsure', 'told')
  const texts = [...scope.input.map((piece) => piece.text), ...given.map((field) => field.text)]
  for (const { path, text } of texts.flatMap(patchWrites)) {
    machine.sayWritten(path, text, scope.use)
    machine.record.writes.push({ path, text, use: scope.use })
  }
  for (const piece of scope.input) machine.paint(piece.start, piece.end, 'unsure', piece.frame)
  for (const field of given) machine.paint(field.start, field.end, 'unsure')
  if (given.length === 0) mentionAll(machine, fields.slice(1), within('done', scope.use), 'told')
  return null
}
