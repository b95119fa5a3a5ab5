/// Languages as sources name them.
enum LanguageTag {
    /// A BCP 47 tag: `zh_CN` with its hyphen, and a code of ISO 639-2 as the shorter one of ISO 639-1, which BCP 47 wants.
    ///
    /// - Returns: `nil` for what can't be one, and for “undetermined”.
    static func tag(_ text: String) -> String? {
        let text = text.trimmed
        let isTag =
            !text.isEmpty && text.utf8.count <= 64
            && text.utf8.allSatisfy { byte in
                (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10 || byte == UInt8(ascii: "-")
                    || byte == UInt8(ascii: "_")
            }
        guard isTag else { return nil }
        let parts = text.split { $0 == "-" || $0 == "_" }.map(String.init)
        guard let first = parts.first else { return nil }
        let code = first.lowercased()
        if code == "und" || code == "mul" || code == "zxx" { return nil }
        return ([shorter[code] ?? first] + parts.dropFirst()).joined(separator: "-")
    }

    /// ISO 639-1 codes by those of ISO 639-2, both forms of it.
    private static let shorter: [String: String] = {
        var table: [String: String] = [:]
        for pair in pairs.split(whereSeparator: \.isWhitespace) {
            let codes = pair.split(separator: "=")
            for long in codes.dropFirst() { table[String(long)] = String(codes[0]) }
        }
        return table
    }()

    private static let pairs = """
        aa=aar ab=abk af=afr ak=aka sq=sqi=alb am=amh ar=ara an=arg hy=hye=arm as=asm av=ava ae=ave ay=aym az=aze ba=bak
        bm=bam eu=eus=baq be=bel bn=ben bi=bis bo=bod=tib bs=bos br=bre bg=bul my=mya=bur ca=cat cs=ces=cze ch=cha ce=che
        zh=zho=chi cu=chu cv=chv kw=cor co=cos cr=cre cy=cym=wel da=dan de=deu=ger dv=div nl=nld=dut dz=dzo en=eng
        eo=epo et=est ee=ewe fo=fao fa=fas=per fj=fij fi=fin fr=fra=fre fy=fry ff=ful ka=kat=geo gd=gla ga=gle gl=glg
        gv=glv el=ell=gre gn=grn gu=guj ht=hat ha=hau he=heb hz=her hi=hin ho=hmo hr=hrv hu=hun ig=ibo is=isl=ice io=ido
        ii=iii iu=iku ie=ile ia=ina id=ind ik=ipk it=ita jv=jav ja=jpn kl=kal kn=kan ks=kas kr=kau kk=kaz km=khm ki=kik
        rw=kin ky=kir kv=kom kg=kon ko=kor kj=kua ku=kur lo=lao la=lat lv=lav li=lim ln=lin lt=lit lb=ltz lu=lub lg=lug
        mk=mkd=mac mh=mah ml=mal mi=mri=mao mr=mar ms=msa=may mg=mlg mt=mlt mn=mon na=nau nv=nav nr=nbl nd=nde ng=ndo
        ne=nep nn=nno nb=nob no=nor ny=nya oc=oci oj=oji or=ori om=orm os=oss pa=pan pi=pli pl=pol pt=por ps=pus qu=que
        rm=roh ro=ron=rum rn=run ru=rus sg=sag sa=san si=sin sk=slk=slo sl=slv se=sme sm=smo sn=sna sd=snd so=som st=sot
        es=spa sc=srd sr=srp ss=ssw su=sun sw=swa sv=swe ty=tah ta=tam tt=tat te=tel tg=tgk tl=tgl th=tha ti=tir to=ton
        tn=tsn ts=tso tk=tuk tr=tur tw=twi ug=uig uk=ukr ur=urd uz=uzb ve=ven vi=vie vo=vol wa=wln wo=wol xh=xho yi=yid
        yo=yor za=zha zu=zul
        """
}
