import { type Call, frameOf, frameOfPiece, joined, mentionAll, runText } from '../syntax/call.ts'
import { wholeOf } from '../syntax/expand.ts'
import { within } from '../syntax/record.ts'
import { handedOverFrom } from './command-kinds.ts'
import type { Machine, Status } from './machine.ts'
import { runKind } from './run-kind.ts'

/** `ssh host 'a && b'`: the words behind the host are one line of a shell. */
export function runRemote(machine: Machine, { words, fields, scope }: Call, from: number): Status {
  mentionAll(machine, fields.slice(0, from), within('done', scope.use), 'told')
  const [first, ...more] = fields.slice(from)
  if (first === undefined) {
    // The first lines may answer its questions, and it may not come up at all.
    if (machine.isTyped) machine.doubts = true
    for (const piece of joined(scope.input)) runText(machine, piece.text, frameOfPiece(piece), scope)
    return null
  }
  const frame =
    more.length === 0 ? frameOf(machine, first) : wholeOf(machine.frame, first.start, more.at(-1)?.end ?? first.end)
  runText(machine, words.slice(from).join(' '), frame, scope)
  return null
}

/** `docker exec c cmd`, `docker run image cmd`, `kubectl exec pod -- cmd`. */
export function runContained(machine: Machine, call: Call): Status {
  const { words, fields, scope } = call
  const at = handedOverFrom(call.name, words)
  if (at === null) return runKind(machine, call)
  mentionAll(machine, fields.slice(0, at), within('done', scope.use), 'told')
  if (at >= fields.length) return null
  machine.deeper(() => machine.evaluate.fields(machine, fields.slice(at), scope))
  return null
}

/** `su -c 'command'`, `script -qc 'command'`. */
export function runOption(machine: Machine, call: Call): Status {
  const at = call.words.findIndex((word) => word === '--command' || word === '--run' || /^-[a-zA-Z]*c$/u.test(word))
  const field = at === -1 ? undefined : call.fields[at + 1]
  if (field === undefined)
    return call.name === 'vagrant' ? runKind(machine, call) : runRemote(machine, call, call.fields.length)
  mentionAll(
    machine,
    call.fields.filter((one) => one !== field),
    within('done', call.scope.use),
    'told',
  )
  runText(machine, field.text, frameOf(machine, field), call.scope)
  return null
}

/** `find -exec cmd {} ;` runs the command; the conditions before it are looked for, but decide what it is done to. */
export function runFound(machine: Machine, call: Call): Status {
  const { words, fields, scope } = call
  const at = words.findIndex((word) =>
    ['-exec', '-execdir', '-ok', '-okdir', '-x', '-X', '--exec', '--exec-batch'].includes(word),
  )
  if (at === -1) return runKind(machine, call)
  const end = words.findIndex((word, place) => place > at && (word === ';' || word === '+' || word === '\\;'))
  mentionAll(machine, fields.slice(0, at), 'unsure', 'told')
  machine.deeper(() =>
    machine.evaluate.fields(machine, fields.slice(at + 1, end === -1 ? undefined : end), { ...scope, input: [] }),
  )
  return null
}
