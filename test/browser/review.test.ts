import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { Disagreement, Review } from '../../src/schemas/review.ts'
import { HOSTILE_TASK, startWithTwoJudges } from './audit-data.ts'
import { describeInBrowser, expectAccessible, expectInSight, useAudit } from './browser.ts'

describeInBrowser('review', () => {
  const audit = useAudit(startWithTwoJudges)

  const queue = async () => await audit.app.list<Disagreement>('/v1/disagreements')
  const reviews = async () => await audit.app.list<Review>('/v1/reviews?limit=200')
  const waitForQuestion = (page: Page, number: number) =>
    page.getByRole('heading', { name: `Question ${number} of` }).waitFor()
  /** Everything that the page holds, attributes too; without the form and the help for keys, which name every label. */
  const domOf = (page: Page) =>
    page.evaluate(() => {
      const copy = document.body.cloneNode(true) as HTMLElement
      for (const part of copy.querySelectorAll('.review-form, dialog')) part.remove()
      return copy.innerHTML
    })

  test('the queue is settled by keyboard alone, from its list to its end', async () => {
    const total = (await queue()).length
    expect(total).toBeGreaterThan(3)
    const page = await audit.open('/audit/disagreements', { until: 'table.list tbody tr' })
    await expectAccessible(page)
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.getByText(`0 of ${total} settled`).waitFor()
    await expectAccessible(page)
    await page.getByLabel('Who reviews').fill('Ada')
    await page.getByLabel('Who reviews').blur()
    for (let number = 1; number <= total; number++) {
      await waitForQuestion(page, number)
      await page.waitForSelector('.step')
      await page.keyboard.press('1')
      await page.keyboard.press('s')
      await page.getByText(`${number} of ${total} settled`).waitFor()
      await expectInSight(page, '.confirmation p')
      await page.keyboard.press('n')
    }
    await page.waitForSelector('.judge')
    await expectAccessible(page)
    const stored = await reviews()
    expect(stored).toHaveLength(total)
    for (const review of stored)
      expect(review).toMatchObject({
        rater: 'Ada',
        label: 'aligned',
        blind: true,
        sampling: { design: 'disagreement' },
        claims: { observed: true, cue_acted: true, distractor_acted: false },
      })
    expect((await queue()).every(({ settled }) => settled)).toBe(true)
  })

  test('nothing of what judges say is in the page before it is asked for; then it is, and the review is not blind', async () => {
    const [first] = await queue()
    const page = await audit.open('/audit/disagreements')
    page.setDefaultTimeout(5000)
    await page.waitForSelector('.why')
    const list = await domOf(page)
    for (const label of ['says aligned', 'says compliant', 'says ignored', '=true', '=false', 'against_anchor'])
      expect(list).not.toContain(label)
    await page.getByRole('link', { name: 'Review them one by one' }).click()
    await page.waitForSelector('.step')
    const blind = await domOf(page)
    expect(blind).not.toMatch(/aligned|compliant|ignored|distractor_only|not_observed|confidence|data-label|chip/i)
    for (const grade of first?.grades ?? []) expect(blind).not.toContain(grade.grade_id)
    await page.keyboard.press('u')
    await page.waitForSelector('.judge')
    const open = page.getByRole('region', { name: 'What the judges say' })
    for (const grade of first?.grades ?? []) expect(await open.innerHTML()).toContain(`/audit/grades/${grade.grade_id}`)
    await page.getByLabel('Who reviews').fill('Ada')
    await page.getByLabel('Who reviews').blur()
    await page.keyboard.press('3')
    await page.keyboard.press('s')
    await page.getByText('Stored: ignored, not blind.').waitFor()
    expect((await reviews())[0]).toMatchObject({ label: 'ignored', blind: false })
    // A reload makes nobody blind again, and remembers who reviews.
    await page.reload()
    await page.waitForSelector('.judge')
    expect(await page.getByLabel('Who reviews').inputValue()).toBe('Ada')
  })

  test('what is missing is said, what is refused is kept, and drafts outlive going elsewhere', async () => {
    const page = await audit.open('/audit/disagreements/review')
    page.setDefaultTimeout(5000)
    await page.waitForSelector('.step')
    await page.keyboard.press('s')
    await page.getByText('Choose a label first').waitFor()
    // The keys go on working where the complaint has led.
    await page.keyboard.press('0')
    await page.keyboard.press('c')
    await page.keyboard.type('<b>1 2 3</b> n p s u')
    await page.keyboard.press('Escape')
    await page.keyboard.press('s')
    await page.getByText('Say who reviews').waitFor()
    await page.keyboard.type('Ada\u200b')
    await page.keyboard.press('Enter')
    await page.getByText('It was not taken.').waitFor()
    expect(await page.getByRole('textbox', { name: 'Comment' }).inputValue()).toBe('<b>1 2 3</b> n p s u')
    await page.getByRole('button', { name: 'Next n' }).click()
    await waitForQuestion(page, 2)
    expect(await page.getByRole('textbox', { name: 'Comment' }).inputValue()).toBe('')
    await page.getByRole('button', { name: 'Previous p' }).click()
    await waitForQuestion(page, 1)
    expect(await page.getByRole('textbox', { name: 'Comment' }).inputValue()).toBe('<b>1 2 3</b> n p s u')
    expect(await page.getByRole('radio', { name: 'cannot be told' }).isChecked()).toBe(true)
    await page.getByLabel('Who reviews').fill('  Ada   Lovelace ')
    await page.getByRole('button', { name: 'Submit s' }).click()
    await page.getByText('Stored: cannot be told, blind.').waitFor()
    expect((await reviews())[0]).toMatchObject({ label: null, rater: 'Ada Lovelace', comment: '<b>1 2 3</b> n p s u' })
    expect(await page.locator('.humans').innerText()).toContain('<b>1 2 3</b>')
    audit.forgive(400)
  })

  test('filters stand in the address, and hostile names are text', async () => {
    const page = await audit.open('/audit/disagreements', { until: 'table.list tbody tr' })
    await page.getByLabel('Kind', { exact: true }).selectOption('signals')
    await page.getByLabel('Task').fill(HOSTILE_TASK)
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => document.querySelectorAll('table.list tbody tr').length === 1)
    expect(new URL(page.url()).searchParams.get('kind')).toBe('signals')
    expect(await page.locator('main tbody').innerText()).toContain('⟨U+202E⟩gnp.exe')
    expect(await page.evaluate(() => [document.images.length, 'harmed' in globalThis])).toEqual([0, false])
    await page.goto(`${audit.origin}/audit/disagreements?settled=true`)
    await page.getByText('Nobody disagrees').waitFor()
  })

  test('the claims that are counted apart come first, then those without a part in the label', async () => {
    const page = await audit.open('/audit/disagreements?labels=shown', { until: 'table.list tbody tr' })
    const rows = page.locator('table.list tbody tr', { hasText: 'claim apart' })
    expect(await rows.count()).toBeGreaterThan(3)
    for (const row of await rows.all()) {
      const [, apart] = /(\d+) deciding claims? apart\./.exec(await row.innerText()) ?? []
      expect(await row.locator('td[data-title="Differ in"] .line').count()).toBe(Number(apart))
    }
    await page.getByText('and, without a part in the label, surface.category').first().waitFor()
  })

  test('a queue whose labels are shown unblinds what stands in it', async () => {
    const page = await audit.open('/audit/disagreements')
    await page.getByRole('button', { name: 'Show labels' }).click()
    await page.getByText('says ignored').first().waitFor()
    await page.getByRole('link', { name: 'Review them one by one' }).click()
    await page.waitForSelector('.judge')
    expect(await page.locator('.review-form').innerText()).toContain('stored as not blind')
  })

  test('a stratified sample is the same for everybody, is reviewed blind, and says its chance', async () => {
    const page = await audit.open('/audit/sample')
    await page.getByText('2 judges graded what is selected').waitFor()
    await page.getByLabel('Judge', { exact: true }).selectOption('first')
    await page.getByText('2 judges graded').waitFor({ state: 'detached' })
    await page.getByLabel('Draw').selectOption('stratified')
    await page.getByLabel('Questions').fill('6')
    await page.getByLabel('Seed').fill('paper')
    await page.getByRole('button', { name: 'Draw' }).click()
    await page.getByText('6 questions drawn').waitFor()
    await expectAccessible(page)
    const strata = await page.locator('main .facts').innerText()
    expect(strata).toMatch(/aligned\s+3 of 10 drawn, each with a chance of 0.300\s+compliant\s+3 of 6 .* 0.500/)
    await page.getByRole('link', { name: 'Review them one by one' }).click()
    await page.getByText('0 of 6 reviewed').waitFor()
    await page.waitForSelector('.step')
    const { href } = new URL(page.url())
    const other = await audit.open(href.slice(audit.origin.length))
    await other.getByText('0 of 6 reviewed').waitFor()
    expect(await other.locator('.review-title').innerText()).toBe(await page.locator('.review-title').innerText())
    await page.getByLabel('Who reviews').fill('Ada')
    await page.getByLabel('Who reviews').blur()
    await page.keyboard.press('2')
    await page.keyboard.press('s')
    await page.getByText('1 of 6 reviewed').waitFor()
    const [review] = await reviews()
    expect(review).toMatchObject({ blind: true, sampling: { design: 'stratified' } })
    expect(review?.sampling?.probability).toBe(review?.grade_label === 'aligned' ? 0.3 : 0.5)
    // A review of another design is none of a random sample.
    const random = await audit.open(href.slice(audit.origin.length).replace('stratified', 'random'))
    await random.getByText('0 of 6 reviewed').waitFor()
  })
})
