import { type Segment, visibleText } from './visible-text.ts'

/**
 * Text that an adversary may have written (trajectories, replies of judges, names in metadata, file paths) in one line of the
 * page. It cannot reorder what stands around it, nor hide a part of itself.
 */
export const HostileText = ({ text }: { readonly text: string }) => (
  <bdi class="hostile" dir="ltr">
    <Segments segments={visibleText(text)} />
  </bdi>
)

/** Blocks of more than this may scroll by themselves, and must then be reached by keyboard. */
const TALL_CHARS = 400

/** The same as a block that keeps its line ends and wraps its long lines. */
export const HostileBlock = ({ text }: { readonly text: string }) => (
  <pre
    class="hostile hostile-block"
    dir="ltr"
    tabIndex={text.length > TALL_CHARS || text.split('\n', 10).length === 10 ? 0 : undefined}
  >
    <Segments segments={visibleText(text)} />
  </pre>
)

/** What `visibleText` made, as text nodes and marks: never as markup. */
export const Segments = ({ segments }: { readonly segments: readonly Segment[] }) => (
  <>
    {segments.map((segment) =>
      segment.kind === 'plain' ? (
        segment.text
      ) : (
        <span key={segment.start} class="escape" title="a character that would not be seen">
          {segment.text}
        </span>
      ),
    )}
  </>
)
