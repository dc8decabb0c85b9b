import { isRecord, type Json, pointer, type Reading } from '../common/reading.ts'
import type { Resolve } from '../openai-chat/openai-chat-sink.ts'

/** The schemes of mentions, and where a sample keeps what they mention. `tc` is of the first logs. */
const SCHEMES = [
  { scheme: 'attachment://', keep: ['attachments'] },
  { scheme: 'tc://', keep: ['transcript', 'content'] },
] as const

/**
 * Mentions cost a few characters and stand for whole texts, so a small file could unfold to any size. A log of real work repeats
 * little of what it keeps.
 */
const MAX_UNFOLDED = 50_000_000

/**
 * Resolves a string that is a mention of an attachment to the text it stands for, under the pointer of that. Once only: what an
 * attachment says is text, so mentions cannot go in a circle. One that leads nowhere stays as it stands, with a warning.
 */
export function attachmentsOf(reading: Reading, sample: Json, at: string): Resolve {
  let unfolded = 0
  return (text, path, isPicture = false) => {
    const known = SCHEMES.find(({ scheme }) => text.startsWith(scheme))
    if (known === undefined) return { text, path }
    const name = text.slice(known.scheme.length)
    const held = keptIn(sample, known.keep, name)
    if (held === null) {
      // A text that goes on behind the name is somebody's words about an attachment.
      if (isName(name)) reading.warn(path, 'mentions an attachment that this sample does not hold; shown as it stands')
      return { text, path }
    }
    if (!isPicture) unfolded += held.length
    if (unfolded > MAX_UNFOLDED) {
      reading.error(path, `attachments unfold to more than the ${MAX_UNFOLDED} characters that are accepted`)
      return { text: '', path }
    }
    return { text: held, path: pointer(`${at}/${known.keep.join('/')}`, name) }
  }
}

const isName = (name: string): boolean => name.length <= 64 && !name.includes(' ') && !name.includes('\n')

function keptIn(sample: Json, keep: readonly string[], name: string): string | null {
  let value: unknown = sample
  for (const key of [...keep, name]) {
    if (!isRecord(value) || !Object.hasOwn(value, key)) return null
    value = value[key]
  }
  return typeof value === 'string' ? value : null
}
