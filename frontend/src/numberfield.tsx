import { useRef, useState } from "react";

/** A number that is typed, or dragged sideways. */
export function NumberField({ value, digits, unit, label, disabled, onChange }: { value: number; digits: number; unit: string; label: string; disabled?: boolean; onChange: (x: number) => void }) {
  const [text, setText] = useState<string | null>(null);
  const from = useRef<{ x: number; value: number } | null>(null);
  return (
    <span className="number-field">
      <input value={text ?? value.toFixed(digits)} disabled={disabled} aria-label={label} inputMode="decimal" maxLength={20} onFocus={() => setText(value.toFixed(digits))} onBlur={() => setText(null)}
        onChange={(e) => (setText(e.target.value), e.target.value.trim() !== "" && onChange(Number(e.target.value.replace(",", "."))))} onKeyDown={(e) => (e.key === "Enter" || e.key === "Escape") && e.currentTarget.blur()}
        onPointerDown={(e) => (from.current = { x: e.clientX, value })} onPointerUp={() => (from.current = null)}
        onPointerMove={(e) => from.current && Math.abs(e.clientX - from.current.x) > 4 && (setText(null), onChange(from.current.value + (e.clientX - from.current.x) * 10 ** -digits * 5))} />
      <span className="unit">{unit}</span>
    </span>
  );
}
