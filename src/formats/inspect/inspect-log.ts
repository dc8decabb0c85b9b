import type { OpenedDocument } from '../common/opened-document.ts'
import { isRecord, type Json } from '../common/reading.ts'
import { isLog, isSample } from './inspect.ts'
import { openInspectSample } from './inspect-sample.ts'

/** A JSON log of Inspect: one document a sample and epoch. A sample that is none stays as it is, for the reader to complain about. */
export function splitInspectLog(root: Json): readonly OpenedDocument[] | null {
  if (isSample(root)) return [{ ...openInspectSample(null, root), name: '' }]
  const { samples, ...header } = root
  if (!isLog(root) || !Array.isArray(samples) || samples.length === 0) return null
  return samples.map((sample: unknown, index) => {
    if (isRecord(sample)) return openInspectSample(header, sample)
    return { name: `sample_${index + 1}`, document: { eval: root['eval'], samples: [sample] }, about: {}, warnings: [] }
  })
}
