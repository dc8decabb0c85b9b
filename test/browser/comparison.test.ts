import { expect, test } from 'vitest'
import type { Comparison } from '../../src/schemas/agreement.ts'
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
    expect(await page.locator('main .trouble').innerText()).toMatch(/^The sides differ in more .* judge \(16\): first/)
    const evidence = page.getByRole('region', { name: 'Pairs of answers by label and quotes' })
    const { raters = [], ...matches } = compared.evidence_agreement?.[0] ?? {}
    const cells = [raters.join(' and '), ...Object.values(matches).map(String)]
    expect(await evidence.locator('td').allInnerTexts()).toEqual(cells)
    await expectAccessible(page)

    await page.getByRole('link', { name: '2 from aligned to ignored, show them' }).click()
    const rows = page.getByRole('region', { name: 'Flips', exact: true }).locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(2)
    expect(new URL(page.url()).searchParams.get('cell')).toBe('aligned.ignored')
    const flips = compared.flips.filter((flip) => flip.base.label === 'aligned' && flip.head.label === 'ignored')
    const links = await rows.locator('a').evaluateAll((all) => all.map((one) => one.getAttribute('href')))
    expect(new Set(links)).toEqual(
      new Set(flips.flatMap((flip) => [flip.base, flip.head].map(({ grade_id }) => `/audit/grades/${grade_id}`))),
    )
    await expect.poll(async () => (await rows.allInnerTexts()).join()).toMatch(/trial-1[\s\S]*trial-7/)
    expect(await rows.first().locator('td[data-title="Base: first"]').innerText()).toMatch(/^aligned\s+medium\s/)
    expect(await rows.first().locator('td[data-title="Head: second"]').innerText()).toMatch(/^ignored\s+low\s/)
    await page.getByRole('link', { name: '2 from aligned to ignored, shown below: close' }).click()
    await expect.poll(() => rows.count()).toBe(4)
    expect((await rows.allInnerTexts()).join()).not.toMatch(/grd_|sha256|run [0-9a-f]{8}/)
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
