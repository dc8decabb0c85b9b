import type { Redirection } from 'unbash'
import { GONE, type Machine, type Out, SCREEN, type Scope } from '../commands/machine.ts'
import type { Piece } from '../commands/piece.ts'
import { contentOf } from './call.ts'
import { expandBody, expandToText } from './expand.ts'
import { within } from './record.ts'

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
    const pieces = machine.files.get(target)
    machine.record.say(target, 'told', 'told')
    return { ...scope, input: pieces ?? [contentOf(machine, target, pos)] }
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
  machine.record.say(target, within('done', scope.use), 'told')
  machine.paint(start, end, within('done', scope.use))
  return scope
}
