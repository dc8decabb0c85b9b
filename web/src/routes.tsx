import type { ComponentType } from 'preact'
import { BatchesPage, BatchPage } from './batches/batch-pages.tsx'
import { ComparisonsPage } from './comparisons/comparisons-page.tsx'
import { DisagreementReviewPage, DisagreementsPage } from './disagreements/disagreement-pages.tsx'
import { GradePage } from './grade/grade-page.tsx'
import { GradesPage } from './grades/grades-page.tsx'
import { LazyReportPage } from './report/lazy-report-page.tsx'
import { GradeReviewPage } from './review/review-view.tsx'
import { SamplePage, SampleReviewPage } from './sample/sample-pages.tsx'
import { SignInPage } from './session/session.tsx'

/** The properties of every page: the decoded part `:id` of its path, or ''. */
export interface PageProps {
  readonly id: string
}

export interface Route {
  /** Below `/audit`; `:id` stands for one part of a path. */
  readonly path: string
  readonly title: string
  /** The word in the navigation; absent: links of other pages lead to the page. */
  readonly nav?: string
  readonly page: ComponentType<PageProps>
}

/** Every page, in the order of the navigation. */
export const ROUTES: readonly Route[] = [
  { path: '/grades', title: 'Grades', nav: 'Grades', page: GradesPage },
  { path: '/grades/:id', title: 'Grade', page: GradePage },
  { path: '/grades/:id/review', title: 'Review a grade', page: GradeReviewPage },
  { path: '/batches', title: 'Batches', nav: 'Batches', page: BatchesPage },
  { path: '/batches/:id', title: 'Batch', page: BatchPage },
  { path: '/disagreements', title: 'Disagreements', nav: 'Disagreements', page: DisagreementsPage },
  { path: '/disagreements/review', title: 'Review disagreements', page: DisagreementReviewPage },
  { path: '/sample', title: 'Review a sample', nav: 'Sample', page: SamplePage },
  { path: '/sample/review', title: 'Review a sample', page: SampleReviewPage },
  { path: '/comparisons', title: 'Comparisons', nav: 'Comparisons', page: ComparisonsPage },
  { path: '/report', title: 'Report', nav: 'Report', page: LazyReportPage },
  { path: '/sign-in', title: 'Sign in', page: SignInPage },
]

/** Finds the route of a path; `/audit/` is the first page. Null: no page. */
export function matchRoute(path: string): { readonly route: Route; readonly id: string } | null {
  const below = path.replace('/audit', '').replace(/\/$/, '') || (ROUTES[0]?.path ?? '')
  for (const route of ROUTES) {
    if (route.path === below) return { route, id: '' }
    const [prefix = '', suffix] = route.path.split(':id')
    if (suffix === undefined || !below.startsWith(prefix) || !below.endsWith(suffix)) continue
    const id = below.slice(prefix.length, below.length - suffix.length)
    if (id !== '' && !id.includes('/')) return { route, id: decode(id) }
  }
  return null
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
