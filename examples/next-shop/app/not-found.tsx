import Link from "next/link";

export default function NotFound() {
  return (
    <main>
      <h1>Not found</h1>
      <p>
        There is nothing here. <Link href="/">Return to the shop</Link>
      </p>
    </main>
  );
}
