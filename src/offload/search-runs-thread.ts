import { findLiteral, type SearchedRun } from '../domain/text/find-literal.ts'
import { readTrajectory } from '../formats/read.ts'
import { parseStored, unpackText } from '../storage/stored-text.ts'
import type { SearchJob } from './search-runs.ts'
import { serveWorker } from './serve-worker.ts'

serveWorker(({ packed, limits, text, most }: SearchJob): SearchedRun => {
  const document = unpackText(packed)
  const read = readTrajectory(parseStored(document), limits)
  if (!read.ok) throw new Error('a stored trajectory can no longer be read')
  return { ...findLiteral(read.value, text, most), agent: read.value.agent, chars: document.length }
})
