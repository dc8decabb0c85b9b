import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Grade } from '../../src/schemas/grade.ts'
import { type Audit, describeInBrowser, expectAccessible, findOverflow, startAudit } from './browser.ts'
import { makeLongRun } from './long-run.ts'

describeInBrowser('comments on a step', () => {
  let audit: Audit
  let grade: Grade
  beforeAll(async () => {
    audit = await startAudit()
    grade = (await audit.app.post('/v1/grades', makeLongRun(300))).json<Grade>()
  }, 60_000)
  afterAll(() => audit.stop())

  const WINDOWS = [
    { width: 1280, height: 800 },
    { width: 400, height: 800 },
  ]
  test.each(WINDOWS)('are written at the step, and are there after a reload, $width × $height', async (viewport) => {
    const said = `<b>not</b> seen at ${viewport.width}\u202e`
    const page = await audit.open(`/audit/grades/${grade.id}#step-40`, { viewport })
    await page.locator('#step-40').getByRole('button', { name: 'Comment on step 40' }).click()
    await page.getByLabel('Comment on step 40', { exact: true }).last().fill(said)
    await page.getByLabel('Your name').fill('Ada')
    // What is written is kept while its row is out of the page.
    await page.getByLabel('Step', { exact: true }).fill('250')
    await page.keyboard.press('Enter')
    await page.waitForSelector('#step-40', { state: 'detached' })
    await page.getByLabel('Step', { exact: true }).fill('40')
    await page.keyboard.press('Enter')
    expect(await page.locator('#step-40 textarea').inputValue()).toBe(said)
    await page.getByRole('button', { name: 'Save comment' }).click()
    const comment = page.locator('#step-40 .comment').last()
    await comment.waitFor()
    await page.reload()
    await comment.getByText(`seen at ${viewport.width}`).waitFor()
    expect(await comment.innerText()).toContain('<b>not</b>')
    expect(await comment.innerText()).toContain('⟨U+202E⟩')
    expect(await comment.innerText()).toContain('Ada')
    expect(await page.locator('#step-41 .comment').count()).toBe(0)
    expect(await findOverflow(page)).toEqual([])
    await expectAccessible(page)
    expect(audit.complaints).toEqual([])
  })
})
