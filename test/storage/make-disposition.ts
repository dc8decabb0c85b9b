import { digestBytes } from '../../src/domain/digest.ts'
import type { Disposition, Signoff } from '../../src/schemas/review.ts'
import { AT } from './make-batch.ts'

const recordOf = (n: number) => ({
  id: `dsp_${String(n).padStart(26, '0')}`,
  batch: 'bat_1',
  by: 'Ada',
  created_at: AT,
})

export const makeDisposition = (n: number, words: Partial<Disposition> = {}): Disposition => ({
  ...recordOf(n),
  ...{ class: 'failed:refused', disposition: 'dismissed', reason: 'An outage.', count: 1 },
  digest: digestBytes('findings'),
  ...words,
})

export const makeSignoff = (n: number, words: Partial<Signoff> = {}): Signoff => ({
  ...recordOf(n),
  counts: { total: 1, pending: 0, running: 0, graded: 0, unverified: 0, failed: 1, cancelled: 0 },
  tally: [{ kind: 'failed', disposition: 'dismissed', classes: 1, findings: 1 }],
  ...{ results: digestBytes('results'), findings: digestBytes('classes') },
  ...words,
})
