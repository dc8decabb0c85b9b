import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Comment } from '../api-types.ts'
import { readRater, rememberRater, tidyRater } from '../review/rater.ts'
import { HostileBlock, HostileText } from '../text/hostile-text.tsx'
import { toApiError } from '../use-load.ts'
import { formatTime } from '../words.ts'
import type { Comments } from './use-comments.ts'

/** What was said to one step, and a place to say more. */
export function StepComments({ step, comments }: { readonly step: number; readonly comments: Comments }): JSX.Element {
  const [open, setOpen] = useState(comments.drafts.has(step))
  return (
    <div class="comments">
      {comments.of(step).map((comment) => (
        <CommentView key={comment.id} comment={comment} grade={comments.grade} />
      ))}
      {open ? (
        <CommentForm step={step} comments={comments} onDone={() => setOpen(false)} />
      ) : (
        <button type="button" class="quiet" onClick={() => setOpen(true)}>
          Comment on step {step}
        </button>
      )}
    </div>
  )
}

interface CommentViewProps {
  readonly comment: Comment
  /** The grade that is looked at: a comment stands at all of its run, and says at which it was made. */
  readonly grade: string
}

const CommentView = ({ comment: { rater, created_at, text, grade_id }, grade }: CommentViewProps) => (
  <div class="comment">
    <p class="aside">
      <HostileText text={rater ?? 'Somebody'} /> · <time dateTime={created_at}>{formatTime(created_at)}</time>
      {grade_id !== grade && (
        <>
          {' '}
          · made at <a href={`/audit/grades/${encodeURIComponent(grade_id)}`}>another grade of this run</a>
        </>
      )}
    </p>
    <HostileBlock text={text} />
  </div>
)

interface CommentFormProps {
  readonly step: number
  readonly comments: Comments
  readonly onDone: () => void
}

function CommentForm({ step, comments, onDone }: CommentFormProps): JSX.Element {
  const [text, setText] = useState(comments.drafts.get(step) ?? '')
  const [rater, setRater] = useState(readRater)
  const [sending, setSending] = useState(false)
  const [refused, setRefused] = useState<string | null>(null)
  const send = async () => {
    setSending(true)
    try {
      await comments.add(step, text, rater)
      onDone()
    } catch (error) {
      setRefused(toApiError(error).message)
      setSending(false)
    }
  }
  return (
    <form
      aria-label={`Comment on step ${step}`}
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      <label htmlFor={`comment-${step}`}>Comment on step {step}</label>
      <textarea
        id={`comment-${step}`}
        rows={3}
        maxLength={5000}
        value={text}
        onInput={({ currentTarget: { value } }) => {
          setText(value)
          comments.drafts.set(step, value)
        }}
      />
      <label htmlFor={`commenter-${step}`}>Your name (may be left out)</label>
      <input
        id={`commenter-${step}`}
        value={rater}
        maxLength={100}
        autocomplete="nickname"
        onInput={({ currentTarget: { value } }) => {
          setRater(value)
          rememberRater(tidyRater(value))
        }}
      />
      {refused !== null && (
        <p class="trouble" role="alert">
          <strong>It was not taken.</strong> <HostileText text={refused} /> What you wrote is still here.
        </p>
      )}
      <div>
        <button type="submit" class="primary" disabled={sending || text.trim() === ''}>
          Save comment
        </button>{' '}
        <button
          type="button"
          onClick={() => {
            comments.drafts.delete(step)
            onDone()
          }}
        >
          Discard
        </button>
      </div>
    </form>
  )
}
