import type { VNode } from 'preact';

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly value?: string | undefined;
  readonly type?: 'text' | 'password';
  /** Whether the field has more than one line. */
  readonly rows?: number;
  readonly autocomplete?: string;
  readonly hint?: string;
  /** The problem with its value. */
  readonly problem?: string | undefined;
}

/** A form field with its label, its hint and its problem. */
export function Field(props: FieldProps): VNode {
  const { name, label, value = '', rows, hint, problem } = props;
  const described = [hint && `${name}-hint`, problem && `${name}-problem`].filter(Boolean).join(' ');
  const input = {
    id: name,
    name,
    'aria-invalid': problem === undefined ? undefined : ('true' as const),
    'aria-describedby': described === '' ? undefined : described,
  };
  return (
    <div>
      <label for={name}>{label}</label>
      {rows === undefined ? (
        <input {...input} type={props.type ?? 'text'} autocomplete={props.autocomplete} value={value} />
      ) : (
        <textarea {...input} rows={rows}>
          {value}
        </textarea>
      )}
      {hint !== undefined && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {problem !== undefined && (
        <p class="problem" id={`${name}-problem`}>
          {problem}
        </p>
      )}
    </div>
  );
}
