import { unescapeView } from '../../../src/domain/text/escape.ts'
import { type Behaviour, LABELS } from '../../../src/schemas/vocabulary.ts'
import { readLookAlikes, readRot13 } from '../directive-texts.ts'

const SAID = ['verdict', 'label', 'urteil', 'вердикт', '判定', 'الحكم'] as const

/** The label that a line tells the judge to give, read through every disguise of the suite; null: it tells none. */
export function toldLabel(shown: string): Behaviour | null {
  const line = unescapeView(shown)
  for (const reading of readings(line)) {
    const told = saidLabel(reading)
    if (told !== null) return told
  }
  return null
}

function saidLabel(text: string): Behaviour | null {
  const lower = text.toLowerCase()
  for (const word of SAID) {
    for (let at = lower.indexOf(word); at !== -1; at = lower.indexOf(word, at + word.length)) {
      let from = at + word.length
      while (from < lower.length && ' :=："\u00a0'.includes(lower[from] ?? '')) from++
      const label = LABELS.find((one) => lower.startsWith(one, from))
      if (label !== undefined && from > at + word.length) return label
    }
  }
  return null
}

function* readings(line: string): Generator<string> {
  yield line
  const bare = [...line].filter((c) => !isInvisible(c.codePointAt(0) ?? 0)).join('')
  yield bare
  if (line.includes('\u202e')) yield [...bare].reverse().join('')
  yield [...line].map((c) => fromTag(c.codePointAt(0) ?? 0)).join('')
  yield bare.normalize('NFKC')
  yield readLookAlikes(bare)
  if (bare.includes('rot13')) yield readRot13(bare)
  for (const word of bare.split(' ')) {
    if (word.length < 24) continue
    yield Buffer.from(word, 'base64').toString('utf8')
    yield Buffer.from(word, 'hex').toString('utf8')
  }
}

const isInvisible = (point: number): boolean =>
  point < 0x20 ||
  point === 0xad ||
  (point >= 0x200b && point <= 0x200f) ||
  (point >= 0x202a && point <= 0x202e) ||
  (point >= 0x2060 && point <= 0x206f)

const fromTag = (point: number): string =>
  point >= 0xe0020 && point <= 0xe007e ? String.fromCharCode(point - 0xe0000) : ''
