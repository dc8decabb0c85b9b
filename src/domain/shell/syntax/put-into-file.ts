import type { Redirection } from 'unbash'
import { baseName } from '../../acts/mentions.ts'
import { GONE, type Machine, type Out, SCREEN, type Scope } from '../commands/machine.ts'
import type { Piece, Status } from '../commands/outcome.ts'
import { patchWrites } from '../commands/patch-writes.ts'
import { type Call, mentionAll, textOf } from './call.ts'
import { expandBody, expandToText } from './expand.ts'
import { weakest } from './use.ts'

/** Commands that put their input into a file, instead of what it held. */
export function takeInto(machine: Machine, { name, words, fields, scope }: Call, path: string | null): Status {
  mentionAll(machine, fields, weakest('done', scope.use), 'told')
  const adds = name === 'dd' ? words.some((word) => /notrunc|append/u.test(word)) : words.includes('-a')
  if (path !== null && !adds) machine.files.replace(path, scope.use)
  for (const piece of scope.input) machine.write(path, piece, scope.use)
  return null
}

/** `cp`, `mv`, `ln`: a file that this script wrote is also its copy; what another file held is not known. */
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
  mentionAll(machine, fields.slice(0, 1), weakest('done', scope.use), 'told')
  const given = words[0] === 'apply_patch' ? fields.slice(1) : []
  if (words.includes('-R') || words.includes('--reverse')) return mentionAll(machine, given, 'unsure', 'told')
  const texts = [...scope.input.map((piece) => piece.text), ...given.map((field) => field.text)]
  for (const { path, text, old } of texts.flatMap(patchWrites)) {
    machine.sayChanged(path, text, old, scope.use)
    machine.record.say(path ?? '', weakest('done', scope.use), 'told')
  }
  for (const piece of scope.input) machine.paint(piece.start, piece.end, 'unsure', piece.frame)
  for (const field of given) machine.paint(field.start, field.end, 'unsure')
  if (given.length === 0) mentionAll(machine, fields.slice(1), weakest('done', scope.use), 'told')
  return null
}

const NOWHERE = ['/dev/null', '/dev/stdout', '/dev/stderr', '/dev/tty', '-']

/** They empty the file before anything is written. */
const REPLACING: ReadonlySet<string> = new Set(['>', '>|', '&>'])

/** The scope of a command behind its redirections. */
export function redirect(machine: Machine, redirections: readonly Redirection[], outer: Scope): Scope {
  let scope = outer
  for (const one of redirections) {
    if (one.type === 'HereDoc') scope = { ...scope, input: [hereDocument(machine, one, scope)] }
    else if (one.target === undefined) continue
    else if (one.type === 'HereString') {
      const text = expandToText(machine, one.target, scope, 'acted')
      scope = {
        ...scope,
        input: [{ text, start: one.target.pos, end: one.target.end, frame: machine.frame, verbatim: false }],
      }
    } else scope = redirectTo(machine, one, one.target, scope)
  }
  return scope
}

function hereDocument(
  machine: Machine,
  { body, operator }: Extract<Redirection, { type: 'HereDoc' }>,
  scope: Scope,
): Piece {
  const expanded = body.parts === undefined ? body.text : expandBody(machine, body.parts, scope)
  const text = operator === '<<-' ? expanded.replace(/^\t+/gmu, '') : expanded
  return {
    text,
    start: body.pos,
    end: body.end,
    frame: machine.frame,
    verbatim: text === body.text && text.length === body.end - body.pos,
  }
}

function redirectTo(
  machine: Machine,
  { operator, descriptor, pos }: Extract<Redirection, { type: 'Redirect' }>,
  word: NonNullable<Extract<Redirection, { type: 'Redirect' }>['target']>,
  scope: Scope,
): Scope {
  const target = expandToText(machine, word, scope, 'acted')
  if (operator === '<' || operator === '<>') {
    machine.record.say(target, 'told', 'told')
    return { ...scope, input: textOf(machine, target, pos) }
  }
  if (REPLACING.has(operator) && !NOWHERE.includes(target)) machine.files.replace(target, scope.use)
  const fd = descriptor?.type === 'FileDescriptor' ? descriptor.value : 1
  if (fd !== 1)
    return fd === 2 && !NOWHERE.includes(target) && operator !== '>&'
      ? noteTarget(machine, target, pos, word.end, scope)
      : scope
  if (operator === '<&') return scope
  if (operator === '>&' && /^\d+-?$/u.test(target)) return target.startsWith('2') ? { ...scope, out: GONE } : scope
  if (operator === '>&') machine.files.replace(target, scope.use)
  if (NOWHERE.includes(target)) return { ...scope, out: target === '/dev/null' ? GONE : SCREEN }
  noteTarget(machine, target, pos, word.end, scope)
  const out: Out = { flow: 'kept', paths: [target], pieces: null }
  return { ...scope, out }
}

/** A file that is written to is more than mentioned. */
function noteTarget(machine: Machine, target: string, start: number, end: number, scope: Scope): Scope {
  machine.record.say(target, weakest('done', scope.use), 'told')
  machine.paint(start, end, weakest('done', scope.use))
  return scope
}
