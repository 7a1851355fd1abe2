//! What a judged page means for the URLs around it.
