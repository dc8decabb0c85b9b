import type { Part, Step, Trajectory } from '../../src/domain/trajectory/trajectory.ts'

/** A trajectory in words. Members that say nothing are left out: no warning, nothing unread, no agent. */
export interface Reading {
  readonly format: string
  readonly agent?: string
  readonly compacted?: true
  /** Unread records, and unread acts. */
  readonly unread?: readonly [records: number, actions: number]
  /** Warnings, each as `place: words`. */
  readonly warnings?: readonly string[]
  /** Parts by step; an object where the step is more than its parts. */
  readonly steps: readonly (readonly string[] | object)[]
}

export function readingOf({ format, agent, compacted, unread, warnings, steps }: Trajectory): Reading {
  const names = [agent.name, agent.model].filter((name) => name !== null).join(' · ')
  return {
    format,
    ...(names !== '' && { agent: names }),
    ...(compacted && { compacted }),
    ...(unread.records + unread.actions > 0 && { unread: [unread.records, unread.actions] }),
    ...(warnings.length > 0 && { warnings: warnings.map(({ path, message }) => `${path}: ${message}`) }),
    steps: steps.map(stepOf),
  }
}

function stepOf({ id, name, at, agent, conversation, run, copied, parts }: Step, index: number) {
  const words = parts.map(partOf)
  const more = {
    ...(id !== index + 1 && { id }),
    ...(name !== null && { name }),
    ...(at !== null && { at: new Date(at).toISOString() }),
    ...(agent !== undefined && { agent }),
    ...(conversation !== undefined && { conversation }),
    ...(run !== undefined && { run }),
    ...(copied && { copied }),
  }
  return Object.keys(more).length === 0 ? words : { ...more, parts: words }
}

/** Returns `actor name: text`, of an act `actor name [role:language→target outcome]: text`; a picture or a sound is marked. */
function partOf({ actor, name, media, act, text }: Part): string {
  const mark = media ? ' (media)' : ''
  if (act === null) return `${actor} ${name}${mark}: ${text}`
  const { role, language, target, call } = act
  const kind = `${role}${language === null ? '' : `:${language}`}${target === null ? '' : `→${target}`}`
  return `${actor} ${name}${mark} [${kind}${call.looks ? ' looks' : ''} ${call.outcome}]: ${text}`
}
