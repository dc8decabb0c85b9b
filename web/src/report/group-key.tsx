import type { JSX } from 'preact'
import type { ReportGroup } from '../audit-types.ts'
import { HostileText } from '../text/hostile-text.tsx'

/** The name of a group, which somebody else wrote; or that the trials do not say. */
export const GroupKey = ({ group }: { readonly group: ReportGroup }): JSX.Element =>
  group.key === null ? <span class="none">(not given)</span> : <HostileText text={group.key} />
