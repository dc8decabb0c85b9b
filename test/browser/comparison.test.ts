import { expect, test } from 'vitest'
import type { Comparison } from '../../src/schemas/regrade.ts'
import { startWithTwoJudges } from './audit-data.ts'
import { describeInBrowser, expectAccessible, useAudit } from './browser.ts'

describeInBrowser('comparisons', () => {
  const audit = useAudit(startWithTwoJudges)

  test('two batches are chosen, the matrix has their counts, and a cell opens its flips', async () => {
    const [base, head] = audit.batches
    const page = await audit.open('/audit/comparisons')
    await page.getByLabel('Head', { exact: true }).selectOption(head.id)
    await page.waitForSelector('table.matrix')
    await page.getByLabel('Base', { exact: true }).selectOption(base.id)
    const { searchParams } = new URL(page.url())
    expect([searchParams.get('base'), searchParams.get('head')]).toEqual([base.id, head.id])
    await page.waitForSelector('table.matrix')
    const compared = await audit.app.read<Comparison>(`/v1/comparisons?base=${base.id}&head=${head.id}`)
    const shown = await page.evaluate(() =>
      [...document.querySelectorAll('table.matrix tbody tr')]
        .slice(0, 5)
        .map((row) => [...row.querySelectorAll('td')].slice(0, 5).map((cell) => Number(cell.textContent))),
    )
    expect(shown).toEqual(compared.matrix.counts)
    await page.getByText('4 of 16 pairs flipped').waitFor()
    await expectAccessible(page)

    await page.getByRole('link', { name: '2 from aligned to ignored, show them' }).click()
    await page.waitForSelector('.flip-list li')
    expect(new URL(page.url()).searchParams.get('cell')).toBe('aligned.ignored')
    expect(await page.locator('.flip-list > li').count()).toBe(2)
    const flips = compared.flips.filter((flip) => flip.base.label === 'aligned' && flip.head.label === 'ignored')
    const links = await page.locator('.flip-list a').evaluateAll((all) => all.map((one) => one.getAttribute('href')))
    expect(new Set(links)).toEqual(
      new Set(flips.flatMap((flip) => [flip.base, flip.head].map(({ grade_id }) => `/audit/grades/${grade_id}`))),
    )
    expect(await page.locator('.flip-list').innerText()).toContain('⟨U+202E⟩gnp.exe')
    expect(await page.locator('.side').first().innerText()).toMatch(/Judge\s+first[\s\S]*Rubric\s+tab-behavior@2/)
    await expectAccessible(page)
    expect(await page.evaluate(() => [document.images.length, 'harmed' in globalThis])).toEqual([0, false])
  })

  test('agreement has its intervals, tests their p-values, and what is null its reason', async () => {
    const [base, head] = audit.batches
    const page = await audit.open(`/audit/comparisons?base=${base.id}&head=${head.id}`)
    const { agreement, tests } = (
      await audit.app.get(`/v1/comparisons?base=${base.id}&head=${head.id}`)
    ).json<Comparison>()
    const shown = await page.getByRole('region', { name: 'Agreement of base and head', exact: true }).innerText()
    const kappa = agreement?.cohen_kappa
    const bounds = kappa?.ci95?.map((one) => one.toFixed(3).replace('-', '−')).join(' to ')
    expect(shown).toContain(`${kappa?.value?.toFixed(3)} ${bounds}`)
    expect(agreement?.raw_agreement).toMatchObject({ value: 0.75, reason: null })
    const tested = await page.getByRole('region', { name: 'Did the labels move one way?' }).innerText()
    expect(tested).toContain(`df = ${tests?.bowker.df}, p = ${tests?.bowker.p?.toFixed(3)}`)
    expect(await page.getByRole('region', { name: /same judge again/ }).innerText()).toContain('Cannot be told: ')
  })

  test('a head that is no re-grade asks for a base', async () => {
    const page = await audit.open(`/audit/comparisons?head=${audit.batches[0].id}`)
    await page.getByText('the head is no re-grade').waitFor()
    audit.forgive(400)
  })
})
