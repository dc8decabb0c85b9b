import { afterEach, beforeEach, expect, test } from 'vitest'
import { digestBytes } from '../../src/domain/digest.ts'
import type { Report } from '../../src/schemas/audit/report.ts'
import { GROUND_TRUTH, makeGrade } from '../storage/make-grade.ts'
import { describeInBrowser, expectAccessible, startAudit } from './browser.ts'

const KINDS = ['instruction_adherence', 'invention_of_information', 'invalid_invocation', 'system_failure']

describeInBrowser('report of another rubric', () => {
  let audit: Awaited<ReturnType<typeof startAudit>>
  beforeEach(async () => {
    audit = await startAudit()
    for (const [index, kind] of KINDS.entries()) {
      const made = makeGrade({
        rubric: 'failure-attribution@1',
        label: kind,
        metadata: { task: `t${index}`, team: 'a' },
      })
      const receipt = { ...made.receipt, trajectory: digestBytes(kind) }
      const claims = { 'failure.step': 1, 'failure.agent': 'a', 'failure.category': kind }
      const own = { ...made, receipt, claims, surface: null, cue: null, distractor: null }
      await audit.app.context.stores.grades.put({ grade: own, ground_truth: GROUND_TRUTH })
    }
  })
  afterEach(() => audit.stop())

  test('its own labels are drawn, each with a look of its own; nothing of TAB is there', async () => {
    const { labels } = (await audit.app.get('/v1/reports')).json<Report>()
    const page = await audit.open('/audit/report?group_by=team')
    await page.waitForSelector('[data-plot=shares] svg')
    const looks = await page.locator('[data-plot=shares] pattern').evaluateAll((all) => all.map((one) => one.innerHTML))
    expect(looks).toHaveLength(labels.length)
    expect(new Set(looks).size).toBe(labels.length)
    expect(await page.locator('[data-plot=shares] g.mark-bar rect').count()).toBe(KINDS.length)
    expect(await page.locator('.plot-section').count()).toBe(1)
    expect(await page.getByText('Values of failure.category').count()).toBe(1)
    expect(await page.getByText('Evidence of lexical').count()).toBe(1)
    await expectAccessible(page)
    expect(audit.complaints).toEqual([])
  })
})
