import type { Rubric } from '../../src/domain/rubric/rubric.ts'
import { TAB_1 } from '../../test/tab-behavior.ts'

/** Who may support what, as in the rubrics of the product; the words of the question play no part in the check. */
export const RUBRIC: Rubric = {
  ...TAB_1,
  id: 'fuzz',
  name: 'fuzz@1',
  title: 'fuzz',
  description: 'fuzz',
  digest: `sha256:${'b'.repeat(64)}`,
  system: 'system',
  question: '{{nonce}}',
}
