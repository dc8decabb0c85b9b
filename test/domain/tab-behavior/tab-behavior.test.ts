import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { claimedOutcome } from '../../../src/domain/rubric/claims.ts'
import { GivenGroundTruthSchema } from '../../../src/schemas/trial.ts'
import { CLAIM_IDS, TAB_1, TAB_2 } from '../../tab-behavior.ts'
import { makeClaims } from '../make.ts'

/** The rubrics under which grades are stored: as data they ask, and are known by, what they were when code held them. */
describe.each([
  [TAB_1, 'answer-1.schema.json', 'sha256:f39ccc5b541ba56ce7aaa3d43055cdb8d0310c9b195f677d1f41d43fbbd2edee'],
  [TAB_2, 'answer-2.schema.json', 'sha256:58bfa41a3cbfeb04404b1199fe630e3511758953898ec29402e952b12e470712'],
] as const)('$name', (rubric, file, digest) => {
  test('has the digest that stored grades and cache keys have', () => {
    expect(rubric.digest).toBe(digest)
  })

  test('asks for an answer by the same bytes: providers and request digests see their order', () => {
    const kept: unknown = JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8'))
    expect(JSON.stringify(rubric.answer_schema)).toBe(JSON.stringify(kept))
  })

  test('takes the ground truth that every way in took', () => {
    expect(JSON.parse(JSON.stringify(rubric.truth.schema))).toEqual(JSON.parse(JSON.stringify(GivenGroundTruthSchema)))
    expect(rubric.truth).toMatchObject({ instructions: ['cue', 'distractor'], members: ['instruction'] })
  })

  test('lets the same claims be cited, and what is not told is no label', () => {
    const { properties } = rubric.answer_schema as { properties: { citations: { items: { properties: object } } } }
    expect(properties.citations.items.properties).toMatchObject({ supports: { enum: CLAIM_IDS } })
    expect(claimedOutcome(makeClaims({ cue: { reasoned: false, acted: null } }), rubric)).toBeNull()
  })
})
